enum Usage {
    /// Until there is a first release.
    static let version = "sealedpushd, unreleased"

    static let text = """
        usage: sealedpushd --config FILE                  runs the service until SIGTERM; SIGHUP reads FILE anew
               sealedpushd --config FILE --check-config   reads FILE and every file that it names; 78 when one is wrong
               sealedpushd make-key FILE                  makes the key that device tokens are encrypted under
               sealedpushd make-api-key                   makes a tenant's key for the API, and its hash for FILE
               sealedpushd backup COPY --config FILE      copies the database while the service runs, or not
               sealedpushd integrity --config FILE        reads the whole database and says what is wrong with it
               sealedpushd acknowledge-restore send|drop --config FILE   has a restored database taken up again: what
                                                          waits in it is sent, perhaps a second time, or ended
               sealedpushd --version | --help

        FILE is described in docs/service.md, running the service in docs/operations.md and sealedpushd(8).
        """
}
