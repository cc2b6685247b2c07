import APNSProvider

/// What the clients have room for.
extension Dispatcher {
    /// At the start of a turn, for the clients that something waits for.
    func readRooms() {
        for number in flow.clients { readRoom(of: number) }
    }

    func readRoom(of number: Int) {
        let room = lanes.entry(number: number)?.client.room
        // It stopped while nothing of ours was with it: what waits is parked.
        if case .suspended(let reason) = room, !suspensions.contains(lane: number) {
            suspend(SuspensionBook.Scope(lane: number, bundleID: nil), reason)
        }
        flow.rooms.update(number, room)
    }

    /// At the end of a turn: what waits without room makes its client connect, or grow.
    func wantRooms() {
        guard !flow.isDraining else { return }
        for number in flow.clients where !flow.rooms.admits(number) {
            lanes.entry(number: number)?.client.want(flow.waitingCount(for: number))
        }
    }
}
