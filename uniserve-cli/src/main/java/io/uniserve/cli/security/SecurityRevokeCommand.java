package io.uniserve.cli.security;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.Revocation;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.PemCertificates;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve security revoke}. */
@Command(
        name = "revoke",
        description = {
            "Revokes all certificates of an identity, or one certificate, in a cluster in mode closed. Processes close its"
                    + " connections within seconds, and accept none from it.",
            "An identity stays revoked until --undo, also with a new certificate: issue one with another name, or revoke the"
                    + " certificate alone. uniserve grants lists what is revoked."
        },
        footer = {
            "  uniserve security revoke user/ann",
            "  uniserve security revoke server/s1",
            "  uniserve security revoke --certificate s1/s1.pem",
            "  uniserve security revoke user/ann --undo"
        })
final class SecurityRevokeCommand extends ClientCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "SUBJECT",
            description = "user/NAME, server/NAME (also of a coordinator), or a fingerprint sha256:HEX.")
    private @Nullable String subject;

    @Option(names = "--certificate", paramLabel = "FILE", description = "The certificate to revoke, in PEM.")
    private @Nullable Path certificate;

    @Option(names = "--undo", description = "Accept it again.")
    private boolean undo;

    @Override
    public Integer call() {
        Revocation revocation = revocation();
        try (ClusterClient cluster = connect()) {
            check(revocation, cluster);
            cluster.changeRevocation(revocation, undo);
        }
        if (global().isJson()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("subject", revocation.subject());
            object.put("revoked", !undo);
            console().json(object);
        } else {
            console().println(revocation + (undo ? " is accepted again" : " is revoked"));
        }
        return ExitCode.OK;
    }

    /** Refuses what would change nothing, and the name of the caller. */
    private void check(Revocation revocation, ClusterClient cluster) {
        if (undo && !cluster.allGrants().revocations().contains(revocation)) {
            throw UniserveException.invalid(revocation + " is not revoked: uniserve grants lists what is");
        }
        if (!undo && revocation.subject().equals("user/" + cluster.grants("").user())) {
            throw UniserveException.invalid(
                    revocation + " is your own identity: another admin, or the identity of a server, must revoke it");
        }
    }

    private Revocation revocation() {
        if (subject != null && certificate == null) {
            return new Revocation(subject);
        }
        if (subject == null && certificate != null) {
            X509Certificate read =
                    PemCertificates.read("--certificate", certificate).get(0);
            if (read.getBasicConstraints() >= 0) {
                throw usageError(
                        certificate + " has the certificate of an authority first, and what it signed would stay"
                                + " accepted: replace the authority in all trust files, see docs/manual/secure-a-cluster.md");
            }
            return new Revocation(CertificateSubject.fingerprint(read));
        }
        throw usageError("give either SUBJECT or --certificate FILE");
    }
}
