//! TeraValidate's faults and the lines that it writes.

use std::path::PathBuf;

use howdah_sort::{
    Context, Error, Pool, ROW, TaskKind, TeravalidateReport, fill_rows, sum_of_crcs, teravalidate,
};

/// A row with a key of ten equal bytes.
fn row(key: u8) -> [u8; ROW] {
    let mut row = [b'.'; ROW];
    row[..10].fill(key);
    row
}

fn keys(keys: &[u8]) -> Vec<u8> {
    keys.iter().flat_map(|key| row(*key)).collect()
}

struct Case {
    dir: tempfile::TempDir,
    inputs: Vec<PathBuf>,
    context: Context,
}

impl Case {
    fn new(files: &[Vec<u8>]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let inputs: Vec<_> =
            (0..files.len()).map(|file| dir.path().join(format!("part-r-{file:05}"))).collect();
        for (path, bytes) in inputs.iter().zip(files) {
            std::fs::write(path, bytes).unwrap();
        }
        Self { dir, inputs, context: Context::default() }
    }

    fn output(&self) -> PathBuf {
        self.dir.path().join("report")
    }

    fn run(&self, expected: Option<(u64, u128)>) -> howdah_sort::Result<TeravalidateReport> {
        let mut pool = Pool::new(2 << 20, 1).unwrap();
        teravalidate(&mut pool, &self.inputs, &self.output(), 2, expected, &self.context)
    }

    fn lines(&self) -> String {
        std::fs::read_to_string(self.output()).unwrap()
    }
}

/// The bytes of a key of [`row`] as Hadoop prints them.
fn printed_key(key: u8) -> String {
    vec![format!("{key:02x}"); 10].join(" ")
}

#[test]
fn correct_files_give_only_the_checksum() {
    let files = [keys(&[1, 1, 2]), vec![], keys(&[2, 3])];
    let case = Case::new(&files);
    let checksum = sum_of_crcs(&files.concat());
    let report = case.run(Some((5, checksum))).unwrap();
    assert_eq!((report.rows, report.checksum, report.read_bytes), (5, checksum, 500));
    assert_eq!(report.errors, []);
    assert_eq!(case.lines(), format!("checksum\t{checksum:x}\n"));

    let phases: Vec<_> = case.context.phases().iter().map(|phase| phase.name).collect();
    assert_eq!(phases, ["map", "reduce"]);
    let tasks = case.context.take_tasks();
    let of_kind = |kind| tasks.iter().filter(move |task| task.kind == kind);
    assert_eq!(of_kind(TaskKind::Map).map(|task| task.input_rows).sum::<u64>(), 5);
    assert_eq!(of_kind(TaskKind::Reduce).count(), 1);
    let progress = case.context.progress();
    assert_eq!((progress.done_bytes, progress.total_bytes), (500, 500));
}

#[test]
fn faults_have_hadoops_messages() {
    let files = [keys(&[1, 5, 4]), vec![], keys(&[3, 0xAB])];
    let case = Case::new(&files);
    let report = case.run(None).unwrap();
    let misorder = format!("misorder in part-r-00000 between {} and {}", printed_key(5), printed_key(4));
    let partitioning = format!(
        "bad key partitioning:\n  file part-r-00000:end key {}\n  file part-r-00002:begin key {}",
        printed_key(4),
        printed_key(3)
    );
    let messages: Vec<_> = report.errors.iter().map(|(kind, message)| (kind.as_str(), message)).collect();
    assert_eq!(messages, [("error", &misorder), ("error", &partitioning)]);
    let checksum = report.checksum;
    assert_eq!(case.lines(), format!("checksum\t{checksum:x}\nerror\t{misorder}\nerror\t{partitioning}\n"));
}

#[test]
fn a_long_file_is_checked_across_its_pieces() {
    // Descending rows: every row except the first is out of order, wherever the pieces end.
    let mut rows = vec![0; 9000 * ROW];
    fill_rows(0, &mut rows);
    for (number, row) in rows.chunks_mut(ROW).enumerate() {
        row[..8].copy_from_slice(&(u64::MAX - number as u64).to_be_bytes());
    }
    let case = Case::new(std::slice::from_ref(&rows));
    let report = case.run(Some((9000, sum_of_crcs(&rows)))).unwrap();
    assert!(case.context.take_tasks().len() > 4);
    let last = "misorder in part-r-00000 8983 times more";
    assert_eq!(report.errors.iter().filter(|(_, message)| message == last).count(), 1);
    let listed = report.errors.iter().filter(|(_, message)| message.contains(" between ")).count();
    assert_eq!(listed, 8999 - 8983);
    // The file's two ends are out of order as well, which Hadoop's reducer also reports.
    assert_eq!(report.errors.len(), listed + 2);
}

#[test]
fn lost_repeated_and_changed_rows_are_detected_by_teragens_record() {
    let rows = keys(&[1, 2, 3]);
    let checksum = sum_of_crcs(&rows);
    let kinds = |rows: Vec<u8>| -> Vec<_> {
        let report = Case::new(&[rows]).run(Some((3, checksum))).unwrap();
        report.errors.into_iter().map(|(kind, _)| kind).collect()
    };
    assert_eq!(kinds(rows.clone()), Vec::<String>::new());
    assert_eq!(kinds(keys(&[1, 3])), ["rows", "checksum"]);
    assert_eq!(kinds(keys(&[1, 2, 2, 3])), ["rows", "checksum"]);
    assert_eq!(kinds(keys(&[1, 1, 3])), ["checksum"]);
    // No rows instead of three: an empty sum must not match the record.
    assert_eq!(kinds(vec![]), ["rows", "checksum"]);
}

#[test]
fn a_truncated_file_is_named() {
    let mut cut = keys(&[1, 2]);
    cut.pop();
    let case = Case::new(&[keys(&[0]), cut]);
    match case.run(None) {
        Err(Error::Input { subject, what, .. }) => {
            assert_eq!(subject, case.inputs[1].display().to_string());
            assert!(what.contains("199 bytes"), "{what}");
        }
        result => panic!("{result:?}"),
    }
    assert!(!case.output().exists());
}

#[test]
fn a_missing_file_is_named() {
    let case = Case::new(&[keys(&[0]), keys(&[1])]);
    std::fs::remove_file(&case.inputs[0]).unwrap();
    match case.run(None) {
        Err(Error::Io { path, .. }) => assert_eq!(path, case.inputs[0]),
        result => panic!("{result:?}"),
    }
}

#[test]
fn a_cancelled_run_writes_no_report() {
    let case = Case::new(&[keys(&[0])]);
    case.context.cancel();
    assert!(matches!(case.run(None), Err(Error::Cancelled)));
    assert!(!case.output().exists());
}

#[test]
fn an_existing_report_is_not_changed() {
    let case = Case::new(&[keys(&[0])]);
    std::fs::write(case.output(), "mine").unwrap();
    assert!(matches!(case.run(None), Err(Error::Io { action: "create", .. })));
    assert_eq!(case.lines(), "mine");
}
