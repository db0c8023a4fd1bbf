/// The properties in which kinds of stores differ.
struct DiskStoreTraits {
    /// Whether each access is dated and written, whatever the format says of access dates.
    var writesEachAccess: Bool
    /// Whether access dates are whole seconds, rounded down.
    var datesAccessesInSeconds: Bool
    /// Whether a scan returns objects in the order in which they were stored.
    var keepsStoringOrder: Bool
    /// Names in the tier's folder that belong to the store; a folder that has one of them, but no marker, was not
    /// written by a tier.
    var reservedNames: [String] = []
}

extension DiskStoreTraits {
    static let folder = DiskStoreTraits(
        writesEachAccess: false, datesAccessesInSeconds: false, keepsStoringOrder: false)
    static let database = DiskStoreTraits(
        writesEachAccess: true, datesAccessesInSeconds: true, keepsStoringOrder: true,
        reservedNames: [databaseFile, databaseValueFolder])
    static let databaseFile = "manifest.sqlite"
    static let databaseValueFolder = "data"
}

extension DiskLayout {
    /// The properties of the kind of store that the layout uses.
    var storeTraits: DiskStoreTraits { self == .sqlite ? .database : .folder }
}
