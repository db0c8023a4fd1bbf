// Readers of results use the columns too.
@_exported import ResultColumns

/// The unit of a column, which Foundation has another type of the same name for.
public typealias Unit = ResultColumns.Unit
