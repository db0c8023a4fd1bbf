/// Clock2Q+: a small FIFO for new objects before a clock of one bit, and ghosts. Hits on the objects that entered the
/// small queue last do not count: in this correlation window, they belong to the request that brought the object in.
///
/// Yiyan Zhai, Bintang Dwi Marthen, Sarath Balivada, Vamsi Sudhakar Bojji, Eric Knauft, Jitender Rohilla, Jiaqi Zuo,
/// Quanxing Liu, Maxime Austruy, Wenguang Wang, Juncheng Yang, "Clock2Q+: A Simple and Efficient Replacement Algorithm
/// for Metadata Cache in VMware vSAN", arXiv:2511.21958, VLDB 2026, section 3.4. `small` and `ghost` are the shares of
/// the capacity for the small queue and the ghosts. `window` is the window's share of the small queue. An object moves
/// to the clock after `threshold` hits outside of the window.
///
/// It is ``S4FIFO`` with other figures. The paper does not say which queue gives way; as in ``S3FIFO``, the small one
/// does if it has its share. The paper's limits for the hand, and for dirty pages, are not here. With bytes, an object
/// leaves the window when as many bytes have entered the small queue since.
///
/// `compat: libcachesim`: as in ``S3FIFO``. In addition, an object leaves the window when as many objects have entered
/// the small queue since as the window has objects, or bytes. With a capacity in bytes, hardly any hit there counts.
/// The default of `ghost` is the paper's 0.5; libCacheSim has 0.9.
enum Clock2QPlus {
    static let entry = PolicyEntry(
        "clock2q-plus",
        "A small FIFO, in which hits soon after the entry do not count, before a clock of one bit, and ghosts.",
        parameters: [
            .limits, .fraction("small", default: 0.1), .fraction("ghost", default: 0.5),
            .fraction("window", default: 0.5), .integer("threshold", default: 1), .compatWithRelease,
        ]
    ) {
        S4FIFO(
            try $0.limits(),
            S4FIFO.Figures(
                small: try $0.fraction("small"), ghost: try $0.fraction("ghost"), skip: try $0.fraction("window"),
                rounding: .up, threshold: try $0.integer("threshold", in: 1...15), mostMainUses: 1,
                compat: try $0.compat()))
    }
}
