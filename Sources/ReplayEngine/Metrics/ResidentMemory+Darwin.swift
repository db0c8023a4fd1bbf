#if canImport(Darwin)
import Darwin

/// The physical footprint of this process, by the kernel's account.
package struct ResidentMemory {
    private var level: Int64 = 0

    package init() {}

    package mutating func reset() {
        malloc_zone_pressure_relief(nil, 0)
        level = Self.info { $0.phys_footprint }
    }

    /// How far the footprint has risen above the level, in bytes. The kernel's peak cannot be reset: a peak that was
    /// passed before the level was taken counts as the level.
    package var peak: Int64 { max(0, Self.info { UInt64($0.ledger_phys_footprint_peak) } - level) }

    private static func info(_ field: (task_vm_info_data_t) -> UInt64) -> Int64 {
        var info = task_vm_info_data_t()
        var count = mach_msg_type_number_t(MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<natural_t>.size)
        let status = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                task_info(mach_task_self_, task_flavor_t(TASK_VM_INFO), $0, &count)
            }
        }
        return status == KERN_SUCCESS ? Int64(clamping: field(info)) : 0
    }
}
#endif
