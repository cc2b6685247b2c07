import Envelope
import Keys
import PushStore
import Sealing
import ServiceParts

/// Devices of one request, known or fetched.
struct ResolvedRecipients {
    /// Verified devices, by id.
    var found: [String: Recipient] = [:]
    var rejected: [String: Rejection] = [:]
    /// Devices and bundles to keep with the message.
    var devices: [String: PinnedDevice] = [:]
}

extension SidecarCore {
    /// Verifies a bundle of each device: the copy in memory, in the file, or a new one of the relay.
    ///
    /// - Parameters:
    ///   - wanted: each once.
    ///   - isNewest: fetches all anew, for devices that lost a prekey.
    func resolve(_ wanted: [MessageSubmission.Recipient], isNewest: Bool = false) async -> ResolvedRecipients {
        var resolved = ResolvedRecipients()
        var asked: [String: (identity: IdentityKey, copy: PinnedDevice?)] = [:]
        for recipient in wanted {
            let id = recipient.device
            do throws(Rejection) {
                if !isNewest, let copy = try inMemory(recipient) {
                    resolved.found[id] = copy
                    continue
                }
                let device = try known(id)
                let identity = try Self.identity(recipient, device)
                if !isNewest, let copy = inFile(id, identity, device) {
                    resolved.found[id] = copy
                } else {
                    asked[id] = (identity, device)
                }
            } catch {
                resolved.rejected[id] = error
            }
        }
        let tags = Dictionary(uniqueKeysWithValues: asked.map { ($0.key, $0.value.copy?.tag) })
        for (id, result) in tags.isEmpty ? [:] : await relay.bundles(of: tags) {
            guard let (identity, copy) = asked[id] else { continue }
            do throws(Rejection) {
                let (bundle, tag) = try Self.newest(result, copy)
                let now = clock.wall()
                resolved.found[id] = try verified(bundle, fetchedAt: now, identity, id)
                resolved.devices[id] = PinnedDevice(
                    identity: identity.rawRepresentation,
                    bundle: bundle,
                    tag: tag,
                    fetchedAt: now
                )
                metrics.bundles[.relay, default: 0] += 1
            } catch {
                resolved.rejected[id] = error
            }
        }
        return resolved
    }

    /// Adds devices to memory, once the file has them.
    func remember(_ resolved: ResolvedRecipients) {
        for id in resolved.devices.keys { remember(resolved.found[id], id) }
    }

    private func remember(_ recipient: Recipient?, _ id: String) {
        if recipients.count >= Self.recipientCountMax { recipients = [:] }
        recipients[id] = recipient
    }

    private func known(_ id: String) throws(Rejection) -> PinnedDevice? {
        do throws(StoreError) {
            return try store.device(id)
        } catch {
            throw Rejection("pins", "The pins could not be read; nothing is sealed without them.")
        }
    }

    /// Pinned identity, or the first that the back end gives.
    private static func identity(
        _ recipient: MessageSubmission.Recipient,
        _ device: PinnedDevice?
    ) throws(Rejection) -> IdentityKey {
        guard let device else {
            guard let given = recipient.identity else { throw .identityMissing }
            return given
        }
        guard let pinned = try? IdentityKey(rawRepresentation: device.identity) else { throw .identityMissing }
        guard recipient.identity == nil || recipient.identity == pinned else { throw .identityChanged }
        return pinned
    }

    private func inMemory(_ recipient: MessageSubmission.Recipient) throws(Rejection) -> Recipient? {
        let now = clock.wall()
        guard let copy = recipients[recipient.device], !copy.needsRefresh(now: now), now <= copy.notAfter else {
            return nil
        }
        guard recipient.identity == nil || recipient.identity == copy.identity else { throw .identityChanged }
        metrics.bundles[.memory, default: 0] += 1
        return copy
    }

    /// Copy that need not be fetched anew; nil for a refused one, which a newer bundle may cure.
    private func inFile(_ id: String, _ identity: IdentityKey, _ device: PinnedDevice?) -> Recipient? {
        let now = clock.wall()
        guard let device, let bundle = device.bundle, device.fetchedAt <= now,
            now < device.fetchedAt.advanced(by: Recipient.copyAgeMax),
            let copy = try? verified(bundle, fetchedAt: device.fetchedAt, identity, id)
        else { return nil }
        metrics.bundles[.file, default: 0] += 1
        remember(copy, id)
        return copy
    }

    private func verified(
        _ bundle: [UInt8],
        fetchedAt: Timestamp,
        _ identity: IdentityKey,
        _ id: String
    ) throws(Rejection) -> Recipient {
        do throws(RecipientError) {
            return try Recipient(
                bundle: bundle,
                fetchedAt: fetchedAt,
                pinnedIdentity: identity,
                topic: configuration.topic,
                pins: pins,
                now: clock.wall()
            )
        } catch {
            recipients[id] = nil
            throw Rejection(error)
        }
    }

    private static func newest(
        _ result: Result<FetchedBundle, Rejection>,
        _ copy: PinnedDevice?
    ) throws(Rejection) -> (bundle: [UInt8], tag: String?) {
        switch try result.get() {
        case .bundle(let bundle, let tag): return (bundle, tag)
        case .unchanged:
            guard let bundle = copy?.bundle else { throw .bundleUnavailable }
            return (bundle, copy?.tag)
        }
    }

    /// `DELETE /v1/devices/{id}`.
    func forget(_ id: String) throws(SidecarProblem) {
        recipients[id] = nil
        let isForgotten: Bool
        do throws(StoreError) {
            isForgotten = try store.forget(id)
        } catch {
            throw problem(error)
        }
        guard isForgotten else { throw SidecarProblem(.notFound, "No identity is pinned for this device.") }
    }

    func problem(_ error: StoreError) -> SidecarProblem {
        log.event("store-failed", .error, at: clock.now(), [("error", "\(error)")])
        return SidecarProblem(error)
    }
}
