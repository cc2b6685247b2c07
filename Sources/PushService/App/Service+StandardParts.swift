import PushStore

extension Service {
    package static let standardParts: ServicePartsFactory = { base throws(ServiceError) in
        let hooks = TenantHooks(base.context)
        let wakers = DispatchWakers(hooks: { hooks.hooks.wake() }, fallbacks: { hooks.fallbacks.wake() })
        let dispatcher = Dispatcher(base.context, wakers: wakers)
        let quota = QuotaTable(base.context)
        let pulse = StorePulse(base.context, base.store)
        let application = APIApplication(base.context, dispatch: dispatcher, quota: quota) { pulse.vitals }
        let front = FrontPart(base.context, base.loaded, application)
        let dashboard = DashboardPart(base.context, base.loaded, application)
        // A restored store accepts no writes: other parts would only log failures.
        if base.store.health == .restored { return [dashboard, front] }
        let keeper = ShardKeeper(
            base.context,
            terms: base.terms,
            busyShards: { dispatcher.busyShards },
            didCount: { dispatcher.shareConnections(among: $0) },
            willTake: { dispatcher.willTakeShards() }
        )
        return [
            SpansPart(base.context), keeper, HooksPart(hooks), DispatchPart(dispatcher, base.loaded),
            UpkeepPart(base.context, quota: quota, wakers: wakers, pulse), dashboard, front,
        ]
    }
}
