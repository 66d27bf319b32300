import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The properties that a release's own *-default.xml files list. */
final class Defaults {
  /** One property: the file it is set in, its value as written (null if it has none), its description. */
  record Default(String file, String value, String description) {}

  private static final List<String> RESOURCES =
      List.of("core-default.xml", "hdfs-default.xml", "yarn-default.xml", "mapred-default.xml", "hbase-default.xml");

  private Defaults() {}

  /** Every default of the jars' resources by name. */
  static Map<String, Default> read(List<Path> jars) throws IOException {
    Map<String, Default> defaults = new TreeMap<>();
    for (Path path : jars) {
      try (JarFile jar = new JarFile(path.toFile())) {
        for (String resource : RESOURCES) {
          ZipEntry entry = jar.getEntry(resource);
          if (entry != null) {
            read(jar.getInputStream(entry), resource.replace("-default", "-site"), defaults);
          }
        }
      }
    }
    return defaults;
  }

  private static void read(InputStream in, String file, Map<String, Default> defaults) throws IOException {
    Document document;
    try (in) {
      document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
    } catch (ParserConfigurationException | SAXException error) {
      throw new IOException(file, error);
    }
    NodeList properties = document.getElementsByTagName("property");
    for (int i = 0; i < properties.getLength(); i++) {
      Element property = (Element) properties.item(i);
      String name = template(text(property, "name").strip());
      String value = text(property, "value");
      String description = text(property, "description");
      defaults.put(name,
          new Default(file, value == null ? null : value.strip(), description == null ? "" : description));
    }
  }

  /** A name with its variable part in angle brackets, which the files write in ways of their own. */
  private static String template(String name) {
    return name.replace("[port_number]", "<port>").replace("%s", "<service>")
        .replace("EXAMPLENAMESERVICE", "<nameservice>").replace("EXAMPLECIPHERSUITE", "<suite>");
  }

  private static String text(Element property, String tag) {
    for (Node child = property.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child.getNodeName().equals(tag)) {
        return child.getTextContent();
      }
    }
    return null;
  }
}
