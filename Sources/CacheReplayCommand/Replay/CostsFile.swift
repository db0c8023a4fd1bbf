import Basics
import ReplayEngine
import Yams

/// A YAML file with costs of modelled timing, one constant a line, each with its unit:
/// ```yaml
/// disk_read: 50us
/// disk_read_rate: 2GB/s
/// jpeg_decode_rate: 300MP/s
/// ```
/// Constants that the file does not name keep their standard values. Errors name the file and the line.
struct CostsFile {
    let costs: CostModel

    init(contentsOf path: String) throws {
        let yaml = try YAMLFile(
            contentsOf: path, expected: "constants such as 'disk_read: 50us', as `cachereplay calibrate` writes them")
        costs = try yaml.costs(yaml.root)
    }
}

extension YAMLFile {
    /// Reads a mapping of constants to values, over the standard costs.
    func costs(_ node: Node) throws -> CostModel {
        var costs = CostModel.standard
        for (key, value) in try pairs(node, "costs") {
            guard let constant = key.string.flatMap(CostModel.Constant.named) else {
                throw unknown(key, "costs", CostModel.Constant.all.map(\.name))
            }
            guard let text = value.string, !text.isEmpty else {
                throw error(value, "\(constant.name): expected \(constant.unit.expectation)")
            }
            do { constant.set(try constant.unit.value(text), in: &costs) } catch {
                throw self.error(value, "\(constant.name): \(error.message)")
            }
        }
        return costs
    }
}
