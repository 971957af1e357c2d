package io.uniserve.cli.security;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.Passwords;
import io.uniserve.runtime.security.PemCertificates;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.check.AccessMatrix;
import io.uniserve.runtime.transport.check.AccessMatrix.CallerKind;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Callers of every kind, with certificates in a folder, and the matrix of what each may do. The expired caller's certificate ended an hour
 * ago; the revoked user is an admin by the rules.
 */
record SecurityCheckCallers(AccessMatrix matrix, List<CallerKind> callers) {
    private static final String CLUSTER = "checked";
    private static final String PASSWORD = "password";
    private static final Duration DAY = Duration.ofDays(1);
    private static final List<String> HOSTS = List.of("localhost");

    SecurityCheckCallers {
        callers = List.copyOf(callers);
    }

    /** @param folder empty folder */
    static SecurityCheckCallers create(Path folder) {
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        CertificateAuthority authority = CertificateAuthority.create(folder.resolve("authority"), CLUSTER, now);
        CertificateFiles server = authority.issueServer("s1", HOSTS, now, DAY, folder.resolve("s1"));
        List<CallerKind> callers = new ArrayList<>();
        callers.add(new CallerKind("plain text", TlsFiles.PLAIN, false, false, false, Set.of(), Optional.empty()));
        callers.add(new CallerKind(
                "none",
                new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(server.trust()), false),
                false,
                false,
                true,
                Set.of(),
                Optional.empty()));
        Instant before = now.minus(DAY).minus(Duration.ofHours(1));
        callers.add(
                stranger("expired", authority.issueServer("old", HOSTS, before, DAY, folder.resolve("old")), server));
        CertificateAuthority other = CertificateAuthority.create(folder.resolve("other"), CLUSTER, now);
        callers.add(stranger(
                "other authority", other.issueServer("s1", HOSTS, now, DAY, folder.resolve("stranger")), server));
        CertificateAuthority neighbour = CertificateAuthority.create(folder.resolve("neighbour"), "neighbour", now);
        CertificateFiles foreign = neighbour.issueServer("s1", HOSTS, now, DAY, folder.resolve("foreign"));
        callers.add(stranger("other cluster", foreign, server));
        CertificateFiles zookeeper = authority.issueZooKeeper("zk1", HOSTS, now, DAY, folder.resolve("zk1"));
        callers.add(stranger("zookeeper", zookeeper, server));
        AccessRules rules = AccessRules.NONE;
        for (Role role : Role.values()) {
            RoleGrant grant = new RoleGrant(
                    role.text(),
                    role,
                    role.isOfTables() ? new TablePattern(AccessMatrix.TABLE.value()) : TablePattern.ALL);
            rules = rules.with(grant);
            callers.add(user(role.text(), role.text(), authority, now, folder, Set.of(role)));
        }
        callers.add(user("no rule", "norule", authority, now, folder, Set.of()));
        CertificateFiles revokedUser = authority.issueUser("revoked", now, DAY, folder.resolve("revoked"));
        callers.add(stranger("revoked user", revokedUser, server));
        CertificateFiles revokedServer = authority.issueServer("gone", HOSTS, now, DAY, folder.resolve("gone"));
        callers.add(stranger("revoked server", revokedServer, server));
        rules = rules.with(new RoleGrant("revoked", Role.ADMIN, TablePattern.ALL))
                .with(new Revocation("user/revoked"))
                .with(new Revocation(
                        CertificateSubject.fingerprint(PemCertificates.read("certificate", revokedServer.certificate())
                                .get(0))));
        rules = rules.with(new RoleGrant(PASSWORD, Role.READER, new TablePattern(AccessMatrix.TABLE.value())));
        callers.add(password(PASSWORD, "right password", server, true));
        callers.add(password("wrong password", "wrong password", server, false));
        callers.add(new CallerKind("server", tls(server, server), true, false, true, Set.of(), Optional.empty()));
        TlsFiles trusting = new TlsFiles(
                true,
                Optional.of(server.certificate()),
                Optional.of(server.key()),
                Optional.of(both(folder, server, foreign)),
                true);
        return new SecurityCheckCallers(new AccessMatrix(CLUSTER, trusting, rules, users()), callers);
    }

    /** A trust file with both authorities: the neighbour's certificates are valid, and its identity must still be refused. */
    private static Path both(Path folder, CertificateFiles server, CertificateFiles foreign) {
        Path file = folder.resolve("both.pem");
        try {
            Files.writeString(file, Files.readString(server.trust()) + Files.readString(foreign.trust()));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "certificates cannot be written to " + folder, e);
        }
        return file;
    }

    private static CallerKind user(
            String kind, String name, CertificateAuthority authority, Instant now, Path folder, Set<Role> roles) {
        CertificateFiles files = authority.issueUser(name, now, DAY, folder.resolve(name));
        return new CallerKind(kind, tls(files, files), false, true, true, roles, Optional.empty());
    }

    private static UserCredentials users() {
        UserCredential credential =
                Passwords.newCredential(PASSWORD, "right password".toCharArray(), Limits.PASSWORD_ITERATIONS_MIN);
        return new UserCredentials(Bytes.wrap(new byte[Limits.PASSWORD_KEY_BYTES]), List.of(credential));
    }

    /** A caller with user {@link #PASSWORD} and this password. */
    private static CallerKind password(String name, String password, CertificateFiles server, boolean right) {
        return new CallerKind(
                name,
                new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(server.trust()), false),
                false,
                right,
                true,
                right ? Set.of(Role.READER) : Set.of(),
                Optional.of(new UserPassword(PASSWORD, password.toCharArray())));
    }

    private static CallerKind stranger(String name, CertificateFiles files, CertificateFiles server) {
        return new CallerKind(name, tls(files, server), false, false, false, Set.of(), Optional.empty());
    }

    /** Own certificate of one, trust of the other. */
    private static TlsFiles tls(CertificateFiles own, CertificateFiles trusted) {
        return new TlsFiles(
                true, Optional.of(own.certificate()), Optional.of(own.key()), Optional.of(trusted.trust()), false);
    }
}
