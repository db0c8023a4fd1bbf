import Basics
import Runs

extension MachineDescription {
    /// The machine in a phrase: `x86_64, 2 processors, 25.3 GB, Debian GNU/Linux 12`.
    var summary: String {
        "\(architecture), \(processors) processors, \(HumanText.bytes(Double(memoryBytes))), \(system)"
    }
}
