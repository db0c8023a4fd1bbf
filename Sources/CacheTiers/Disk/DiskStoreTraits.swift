/// The properties in which kinds of stores differ.
package struct DiskStoreTraits {
    /// Whether each access is dated and written, whatever the format says of access dates.
    package var writesEachAccess: Bool
    /// Whether access dates are whole seconds, rounded down.
    package var datesAccessesInSeconds: Bool
    /// Whether a scan returns objects in the order in which they were stored.
    package var keepsStoringOrder: Bool
    /// Names in the tier's folder that belong to the store; a folder that has one of them, but no marker, was not
    /// written by a tier.
    package var reservedNames: [String] = []
}

extension DiskStoreTraits {
    package static let folder = DiskStoreTraits(
        writesEachAccess: false, datesAccessesInSeconds: false, keepsStoringOrder: false)
    package static let database = DiskStoreTraits(
        writesEachAccess: true, datesAccessesInSeconds: true, keepsStoringOrder: true,
        reservedNames: [databaseFile, databaseValueFolder])
    package static let databaseFile = "manifest.sqlite"
    package static let databaseValueFolder = "data"
}

extension DiskLayout {
    /// The properties of the kind of store that the layout uses.
    package var storeTraits: DiskStoreTraits { self == .sqlite ? .database : .folder }
}
