import Platform

enum Usage {
    static let version = "sealedpushd \(ReleaseVersion.text)"

    static let text = """
        usage: sealedpushd --config FILE                  runs the service until SIGTERM; SIGHUP reads FILE again
               sealedpushd --config FILE --check-config   reads FILE and every file that it names; 78 for a fault
               sealedpushd make-key FILE                  makes the key that device tokens are encrypted under
               sealedpushd make-api-key                   makes a tenant's key for the API, and its hash for FILE
               sealedpushd backup COPY --config FILE      copies the database, also while the service runs
               sealedpushd integrity --config FILE        reads the whole database and prints its faults
               sealedpushd acknowledge-restore send|drop --config FILE   releases a restored database: the notifications
                                                          in it are sent, perhaps again, or dropped
               sealedpushd --version | --help

        FILE is described in docs/service.md, running the service in docs/operations.md and sealedpushd(8).
        """
}
