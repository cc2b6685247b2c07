package import APNSSimulator
package import Networking

package struct FaultIdentities: Sendable {
    let right: TLSContext
    let wrong: [FaultCertificate: TLSContext]

    /// - Parameters:
    ///   - right: A server's, with `h2` as its protocol; clients trust it.
    ///   - wrong: The same, each with its fault; a missing one is replaced by the right one.
    package init(right: TLSContext, wrong: [FaultCertificate: TLSContext] = [:]) {
        self.right = right
        self.wrong = wrong
    }

    func context(for fault: ConnectFault?) -> TLSContext {
        guard case .certificate(let fault) = fault else { return right }
        return wrong[fault] ?? right
    }
}

/// A server that speaks APNs' protocol over real sockets, with the faults of its plan and a record of the run.
package final class FaultServer: Sendable {
    /// Port of 127.0.0.1.
    package let port: UInt16
    private let core: LoopBound<FaultServerCore>

    /// Starts a server, which listens until it is closed or dropped.
    ///
    /// - Parameter loop: Everything of the server lives on it.
    /// - Throws: `.system`.
    package static func start(
        _ plan: FaultPlan,
        identities: FaultIdentities,
        loop: EventLoop
    ) async throws(TransportError) -> FaultServer {
        let core = LoopBound(FaultServerCore(plan, identities, loop), to: loop)
        let port = await loop.run { Result { () throws(TransportError) in try core.value.open() } }
        return FaultServer(port: try port.get(), core: core)
    }

    private init(port: UInt16, core: LoopBound<FaultServerCore>) {
        self.port = port
        self.core = core
    }

    deinit {
        let core = core
        core.loop.perform { core.value.close() }
    }

    package func ledger() async -> FaultLedger {
        let core = core
        return await core.loop.run { core.value.ledger }
    }

    /// Replaces the plan for later requests and connections.
    package func follow(_ plan: FaultPlan) async {
        let core = core
        await core.loop.run { core.value.plan = plan }
    }

    package func carryOut(_ fault: ConnectionFault) async {
        let core = core
        await core.loop.run { core.value.carryOut(fault) }
    }

    /// Resets every connection and frees the port.
    package func close() async {
        let core = core
        await core.loop.run { core.value.close() }
    }
}
