package import PushStore

/// What the API tells the dispatcher. On the loop.
package protocol DispatchDoor: AnyObject, Sendable {
    /// Something was stored in these lanes.
    func ring(_ lanes: Set<Lane>)
}
