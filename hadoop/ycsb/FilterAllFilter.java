package org.apache.hadoop.hbase.filter;

import org.apache.hadoop.hbase.Cell;

/**
 * PerformanceEvaluation names a filter of this name, which is in none of the jars that it runs beside: its
 * reads cannot begin without one. It leaves every row out, and is used only where that is asked for.
 */
public class FilterAllFilter extends FilterBase {
  @Override
  public ReturnCode filterCell(Cell cell) {
    return ReturnCode.SKIP;
  }

  @Override
  public boolean filterAllRemaining() {
    return false;
  }
}
