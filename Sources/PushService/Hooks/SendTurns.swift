/// How much a post is in a hurry.
package enum SendKind: Int, CaseIterable, Sendable {
    /// Somebody waits for it: a fallback.
    case urgent
    case plain
}

/// Who may send next to tenants' servers: each tenant in its turn, so many at a time, and fewer where a server is slow. One
/// tenant's dead server holds one place of all, whatever waits for it.
///
/// A value: it says who goes, and whoever has it sends.
package struct SendTurns<Element> {
    package static var countMax: Int { 64 }
    package static var countMaxOfTenant: Int { 8 }
    /// What plain ones leave to urgent ones.
    package static var plainCountMax: Int { 56 }
    package static var plainCountMaxOfTenant: Int { 6 }
    /// A server that takes longer is slow, as is one that does not answer.
    package static var slowMilliseconds: Int64 { 2_000 }

    private struct Line {
        var waiting: [Element] = []
        var head = 0
        var sendingCount = 0
        var isSlow = false
        /// Of one post; a first guess until there was one.
        var meanMilliseconds: Int64 = 100

        var waitingCount: Int { waiting.count - head }

        func width(_ kind: SendKind) -> Int {
            isSlow ? 1 : kind == .urgent ? SendTurns.countMaxOfTenant : SendTurns.plainCountMaxOfTenant
        }

        mutating func popFirst() -> Element {
            let element = waiting[head]
            head += 1
            if head == waiting.count || head >= 64 && head * 2 >= waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private struct Owner: Hashable {
        let tenant: String
        let kind: SendKind
    }

    private var lines: [Owner: Line] = [:]
    /// Owners with something waiting, whoever is next first; urgent ones and plain ones apart.
    private var turns: [[Owner]] = SendKind.allCases.map { _ in [] }
    private var sendingCounts = SendKind.allCases.map { _ in 0 }

    package init() {}

    package mutating func add(_ element: Element, of tenant: String, _ kind: SendKind) {
        let owner = Owner(tenant: tenant, kind: kind)
        if lines[owner, default: Line()].waitingCount == 0 { turns[kind.rawValue].append(owner) }
        lines[owner, default: Line()].waiting.append(element)
    }

    /// - Returns: what is sent now; nil while everybody has to wait. Each needs its `ended`.
    package mutating func next() -> (element: Element, tenant: String, kind: SendKind)? {
        for kind in SendKind.allCases {
            guard sendingCounts.reduce(0, +) < Self.countMax else { return nil }
            guard kind == .urgent || sendingCounts[kind.rawValue] < Self.plainCountMax else { continue }
            guard let index = turns[kind.rawValue].firstIndex(where: mayGo) else { continue }
            let owner = turns[kind.rawValue].remove(at: index)
            guard let element = lines[owner]?.popFirst() else { continue }
            lines[owner]?.sendingCount += 1
            sendingCounts[kind.rawValue] += 1
            if lines[owner, default: Line()].waitingCount > 0 { turns[kind.rawValue].append(owner) }
            return (element, owner.tenant, kind)
        }
        return nil
    }

    private func mayGo(_ owner: Owner) -> Bool {
        guard let line = lines[owner] else { return false }
        let both = SendKind.allCases.reduce(0) {
            $0 + (lines[Owner(tenant: owner.tenant, kind: $1)]?.sendingCount ?? 0)
        }
        return line.sendingCount < line.width(owner.kind) && both < Self.countMaxOfTenant
    }

    /// - Parameters:
    ///   - tenant: whose.
    ///   - kind: as `next` said it.
    ///   - wasAnswered: whether the server said anything.
    ///   - milliseconds: it took.
    package mutating func ended(_ tenant: String, _ kind: SendKind, wasAnswered: Bool, milliseconds: Int64) {
        let owner = Owner(tenant: tenant, kind: kind)
        guard var line = lines.removeValue(forKey: owner) else { return }
        line.sendingCount -= 1
        sendingCounts[kind.rawValue] -= 1
        line.isSlow = !wasAnswered || milliseconds > Self.slowMilliseconds
        line.meanMilliseconds = max(1, (line.meanMilliseconds * 7 + max(0, milliseconds)) / 8)
        lines[owner] = line
    }

    func waitingCount(of tenant: String, _ kind: SendKind) -> Int {
        lines[Owner(tenant: tenant, kind: kind)]?.waitingCount ?? 0
    }

    /// How far apart posts to this server come to be, at the pace that it has.
    package func spacingMilliseconds(of tenant: String, _ kind: SendKind) -> Int64 {
        let line = lines[Owner(tenant: tenant, kind: kind)] ?? Line()
        return max(1, line.meanMilliseconds / Int64(line.width(kind)))
    }

    /// - Returns: all that waits.
    package mutating func removeAll() -> [Element] {
        defer {
            turns = SendKind.allCases.map { _ in [] }
            for owner in lines.keys {
                lines[owner]?.waiting = []
                lines[owner]?.head = 0
            }
        }
        return lines.values.flatMap { $0.waiting[$0.head...] }
    }
}
