/// Fair turns of tenants, with fewer calls to slow servers. A dead server holds one place.
package struct SendTurns<Tenant: Hashable, Element> {
    package static var slowMilliseconds: Int64 { 2_000 }

    private struct Line {
        var waiting: [Element] = []
        var head = 0
        var sendingCount = 0
        var width: Int

        var waitingCount: Int { waiting.count - head }

        mutating func popFirst(_ count: Int) -> [Element] {
            let elements = Array(waiting[head...].prefix(max(1, count)))
            head += elements.count
            if head == waiting.count || head >= 64 && head * 2 >= waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
            return elements
        }
    }

    package let limits: SendLimits
    private var lines: [Tenant: Line] = [:]
    /// Tenants with waiting elements, in turn.
    private var turns: [Tenant] = []
    private var sendingCount = 0

    package init(_ limits: SendLimits) { self.limits = limits }

    package mutating func add(_ element: Element, of tenant: Tenant) {
        if waitingCount(of: tenant) == 0 { turns.append(tenant) }
        lines[tenant, default: Line(width: limits.firstOfTenant)].waiting.append(element)
    }

    /// - Returns: one call, then `ended` must follow; nil while all must wait.
    package mutating func next(count: (Tenant) -> Int = { _ in 1 }) -> (elements: [Element], tenant: Tenant)? {
        guard sendingCount < limits.whole, let index = turns.firstIndex(where: mayGo) else { return nil }
        let tenant = turns.remove(at: index)
        guard let elements = lines[tenant]?.popFirst(count(tenant)) else { return nil }
        lines[tenant]?.sendingCount += 1
        sendingCount += 1
        if waitingCount(of: tenant) > 0 { turns.append(tenant) }
        return (elements, tenant)
    }

    /// The second half of all places is for tenants with few calls.
    private func mayGo(_ tenant: Tenant) -> Bool {
        guard let line = lines[tenant] else { return false }
        let width = sendingCount < limits.whole / 2 ? line.width : min(line.width, limits.firstOfTenant)
        return line.sendingCount < width
    }

    package mutating func ended(_ tenant: Tenant, wasAnswered: Bool, milliseconds: Int64) {
        guard var line = lines[tenant], line.sendingCount > 0 else { return }
        let wasFull = line.sendingCount >= line.width
        line.sendingCount -= 1
        sendingCount -= 1
        if !wasAnswered || milliseconds > Self.slowMilliseconds {
            line.width = 1
        } else if line.width < limits.firstOfTenant {
            line.width = limits.firstOfTenant
        } else if wasFull {
            line.width = min(line.width + 1, limits.ofTenant)
        }
        lines[tenant] = line
    }

    package var tenants: some Collection<Tenant> { lines.keys }

    package func waitingCount(of tenant: Tenant) -> Int { lines[tenant]?.waitingCount ?? 0 }

    package func width(of tenant: Tenant) -> Int { lines[tenant]?.width ?? limits.firstOfTenant }

    package mutating func removeAll() -> [(tenant: Tenant, element: Element)] {
        var all: [(tenant: Tenant, element: Element)] = []
        for tenant in turns {
            let elements = lines[tenant]?.popFirst(.max) ?? []
            all += elements.map { (tenant, $0) }
        }
        turns = []
        return all
    }
}

package struct SendLimits: Equatable, Sendable {
    package let whole: Int
    /// Of a tenant at first.
    package let firstOfTenant: Int
    /// Of a tenant at most; a quick answer while all its places are taken adds one.
    package let ofTenant: Int

    package init(whole: Int, firstOfTenant: Int, ofTenant: Int) {
        self.whole = whole
        self.firstOfTenant = firstOfTenant
        self.ofTenant = ofTenant
    }
}
