// The leak check must report the two nodes, which hold each other.
final class Node {
    var other: Node?
}

@inline(never)
func leak() {
    let (first, second) = (Node(), Node())
    first.other = second
    second.other = first
}

@inline(never)
func overwriteStack(_ depth: Int) -> Int { depth == 0 ? 0 : 1 + overwriteStack(depth - 1) }

leak()
_ = overwriteStack(100)
