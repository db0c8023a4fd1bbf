extension SyntheticSession {
    /// Half of the requests in a first visit. Then the app is ended, and after ``SynthesisModel/away`` the person is
    /// back: a tenth of the pictures is new and on top, and the way down leads past them to what was seen before.
    mutating func comeBack() throws {
        let gallery = shuffledGallery()
        let new = model.pictures / 10
        try show(.pictures(Array(gallery[new...])))
        let half = model.requests / 2
        try browseGallery { $0.recorder.requestsLeft <= half }
        guard !isDone else { return }
        content = .pictures(gallery)
        let first = visible
        visible = first.lowerBound + new..<first.upperBound + new  // The same cells, by their new places.
        geometry.count = gallery.count
        try leave(for: model.away, terminated: true)
        try browseGallery { $0.isDone }
    }
}
