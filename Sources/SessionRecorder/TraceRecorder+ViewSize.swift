import Foundation

/// The sizes of views. Some caches keep a bitmap of each size of an image.
extension TraceRecorder {
    /// The size of the view that shows an image, in pixels of the screen.
    public struct ViewSize: Sendable, Hashable {
        /// From 1 to 65,535.
        public let width: UInt16
        /// From 1 to 65,535.
        public let height: UInt16

        /// Creates a size in pixels. Returns nil for a side outside 1 to 65,535.
        public init?(width: Int, height: Int) {
            guard let width = UInt16(exactly: width), let height = UInt16(exactly: height), width > 0, height > 0 else {
                return nil
            }
            (self.width, self.height) = (width, height)
        }

        /// Creates the size of a view with sides in points. Sides are rounded to the nearest pixel.
        ///
        /// Returns nil for a side outside 1 to 65,535 pixels, such as that of a view before its layout.
        ///
        /// - Parameters:
        ///   - size: The size in points, such as `imageView.bounds.size`.
        ///   - scale: Pixels per point, such as `traitCollection.displayScale`.
        public init?(points size: CGSize, scale: CGFloat) {
            guard let width = Int(exactly: (size.width * scale).rounded()),
                let height = Int(exactly: (size.height * scale).rounded())
            else { return nil }
            self.init(width: width, height: height)
        }
    }

    /// Records that a cell with the image became visible, and the size of the view that shows it.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - variant: The rendition that the cell shows.
    ///   - viewSize: The size that the app asks its image library for; nil if it is unknown.
    public func cellAppeared(_ key: String, variant: Variant = .full, viewSize: ViewSize?) {
        record(.cell(.appear, key: key, variant, viewSize))
    }

    /// Records that the app requested the image before a cell shows it, in the size of the view that will show it.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - variant: The rendition that the cell will show.
    ///   - viewSize: The size that the app asks its image library for; nil if it asks for the image in its own size.
    public func prefetched(_ key: String, variant: Variant = .full, viewSize: ViewSize?) {
        record(.cell(.prefetch, key: key, variant, viewSize))
    }
}
