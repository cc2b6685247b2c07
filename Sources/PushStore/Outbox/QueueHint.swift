/// New entries in the queue that another relay stored, for the owner of their shards.
package struct QueueHint: Sendable {
    package let tenant: TenantID
    package let entries: [NewEntry]

    package init(tenant: TenantID, entries: [NewEntry]) {
        self.tenant = tenant
        self.entries = entries
    }
}
