import CacheReports
import Runs

extension ResultDisplayOptions {
    /// Draws the charts, and prints the rows of a folder of a simulation.
    func show(_ folder: SimulationStore) throws {
        let drawn = try chartsOption.draw(quiet: quiet) { try folder.drawCharts() }
        try SimulateCommand.show(
            (folder.rows, [], [], folder.bounds, folder.parts), isPlain: folder.bounds.isEmpty, printing,
            pictures: drawn.count,
            in: folder.path)
    }
}
