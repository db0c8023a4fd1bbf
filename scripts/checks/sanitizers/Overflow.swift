// The address sanitizer must report this write behind the end of a buffer.
let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 10)
buffer[9 + CommandLine.arguments.count] = 1
buffer.deallocate()
