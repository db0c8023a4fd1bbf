extension Comparison {
    /// For a terminal.
    var table: String {
        let names = ShortNames(changes.map(\.cache), limit: 30)
        var text = changes.isEmpty ? "" : grid { names[$0] }.plain() + "\n"
        for explanation in names.explanations { text += explanation + "\n" }
        for cell in missingCells { text += "MISSING in the candidate: \(name(cell))\n" }
        for cell in newCells { text += "New in the candidate: \(name(cell))\n" }
        for warning in warnings { text += "Warning: \(warning)\n" }
        return text + verdict + "\n"
    }

    /// For a comment on a pull request.
    var markdown: String {
        var text = "**\(TextGrid.markdown(verdict))**\n\n"
        if !changes.isEmpty { text += grid(name: ShortNames.printable).markdown() + "\n" }
        for cell in missingCells { text += "- missing in the candidate: \(TextGrid.markdown(name(cell)))\n" }
        for cell in newCells { text += "- new in the candidate: \(TextGrid.markdown(name(cell)))\n" }
        for warning in warnings { text += "- warning: \(TextGrid.markdown(warning))\n" }
        return text
    }

    private func name(_ cell: Cell) -> String {
        ShortNames.printable("\(cell.trace), \(cell.cache)")
    }
}
