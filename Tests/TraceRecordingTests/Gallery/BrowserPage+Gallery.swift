import TestSupport

extension BrowserPage {
    /// Opens a gallery and waits until it is ready.
    func open(_ address: String) throws {
        try send("Page.navigate", ["url": address])
        try wait(
            for:
                """
                document.body?.dataset.ready === 'yes' && gallery.images.loading === 0 && \
                document.querySelector('.cell.loaded')
                """
        )
    }

    /// Waits until the list is at rest, and for two more frames, so that observers were called.
    func settle() throws {
        try evaluate(
            """
            new Promise(done => {
              const view = document.querySelector('.view:not([hidden])');
              let last = view.scrollTop, still = 0;
              const look = () => {
                still = view.scrollTop === last ? still + 1 : 0;
                last = view.scrollTop;
                still > 12 && gallery.images.loading === 0 ? done() : requestAnimationFrame(look);
              };
              look();
            })
            """)
    }

    /// Sends all events to the server. A request that is in progress has only those before it.
    func sendEvents() throws {
        try evaluate(
            """
            (async () => {
              while (gallery.recorder.hasUnsentEvents) {
                await gallery.recorder.flush();
                await new Promise(resume => setTimeout(resume, 10));
              }
            })()
            """)
    }
}
