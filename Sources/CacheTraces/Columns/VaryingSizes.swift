/// Which size an object has, if a file of requests gives it different ones.
///
/// Sessions, access logs and compiled traces have one size for each object.
public enum VaryingSizes: String, Sendable, CaseIterable {
    /// An object always has the size of its first request.
    case first
    /// A request with another size than the one before stores a held object anew, with the new size.
    case latest
    /// An object has the size of the request that inserted it, until it leaves. A hit does not change it.
    case insertion
}
