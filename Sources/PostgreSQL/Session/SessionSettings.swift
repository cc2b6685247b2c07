/// Bounds of a session, kept by the server too: it ends a statement whose caller is gone.
package struct SessionSettings: Sendable {
    /// Shown in `pg_stat_activity`; by it another relay finds and ends the sessions of one that hangs.
    package var applicationName = "sealedpush"
    package var statementTimeout = Duration.seconds(10)
    package var lockTimeout = Duration.seconds(5)
    /// For one address, with TLS and authentication.
    package var connectTimeout = Duration.seconds(5)

    package init() {}

    /// For libpq.
    var parameters: [String: String] {
        let options = [
            ("statement_timeout", statementTimeout), ("lock_timeout", lockTimeout),
            // A session that stops within a transaction would keep its locks.
            ("idle_in_transaction_session_timeout", statementTimeout),
            // So often a running statement looks whether its client is still there.
            ("client_connection_check_interval", .seconds(1)),
        ]
        // Whatever role and database say: a commit that is acknowledged has waited for its standby.
        // A plan for each call would cost more than the statement, over tables with many partitions.
        let commit = "-c synchronous_commit=on -c plan_cache_mode=force_generic_plan "
        return [
            "application_name": applicationName, "client_encoding": "UTF8", "gssencmode": "disable",
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "15000",
            "options": commit
                + options.map { "-c \($0.0)=\(max(1, Int64($0.1 / .milliseconds(1))))" }.joined(separator: " "),
        ]
    }
}
