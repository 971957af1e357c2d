package io.uniserve.runtime.registry.access;

import io.uniserve.error.UniserveException;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.jspecify.annotations.Nullable;

/**
 * Identity of a process towards ZooKeeper, which owns the cluster's nodes. All processes of a cluster have the same. Immutable.
 *
 * <p>Access lists name the identity itself, not ZooKeeper's scheme {@code auth}: that would add every other identity that the connection
 * has, such as the certificate of a single process.
 */
public final class ZooKeeperIdentity {
    /** No identity: nodes are open to all. */
    public static final ZooKeeperIdentity NONE = new ZooKeeperIdentity(null, "", false);

    private static final String DIGEST = "digest";
    private static final String X509 = "x509";

    private final @Nullable Id id;
    private final String digest;
    private final boolean migration;

    private ZooKeeperIdentity(@Nullable Id id, String digest, boolean migration) {
        this.id = id;
        this.digest = digest;
        this.migration = migration;
    }

    /**
     * Identity of a user with a password.
     *
     * @param user without a colon
     */
    public static ZooKeeperIdentity digest(String user, String password) {
        if (user.isEmpty() || user.indexOf(':') >= 0) {
            throw UniserveException.invalid("ZooKeeper user \"" + user + "\": use a name without a colon");
        }
        String digest = user + ":" + password;
        try {
            Id id = new Id(DIGEST, DigestAuthenticationProvider.generateDigest(digest));
            return new ZooKeeperIdentity(id, digest, false);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    /** Identity of the subject of the certificate that TLS shows, as ZooKeeper writes it: {@code CN=uniserve,O=main}. */
    public static ZooKeeperIdentity x509(String subject) {
        return new ZooKeeperIdentity(new Id(X509, subject), "", false);
    }

    /** The same identity while a running cluster gets access lists: it is shown to ZooKeeper, and new nodes stay open to all. */
    public ZooKeeperIdentity inMigration() {
        return new ZooKeeperIdentity(id, digest, true);
    }

    /** True for {@link #NONE}. */
    public boolean isNone() {
        return id == null;
    }

    /** True while a running cluster gets access lists. */
    boolean isInMigration() {
        return migration;
    }

    /** Shows the identity on a client's connections, also after reconnections of the same session. */
    void authenticate(ZooKeeper client) {
        if (!digest.isEmpty()) {
            client.addAuthInfo(DIGEST, digest.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Access list of new nodes of the cluster. */
    public List<ACL> nodeList() {
        return migration ? ZooDefs.Ids.OPEN_ACL_UNSAFE : ownerList();
    }

    /** Access list of {@code /uniserve}: other clusters, with other owners, may make their folders in it. */
    public List<ACL> sharedFolderList() {
        return id == null || migration
                ? ZooDefs.Ids.OPEN_ACL_UNSAFE
                : list(
                        new ACL(ZooDefs.Perms.ALL, id),
                        new ACL(ZooDefs.Perms.READ | ZooDefs.Perms.CREATE, ZooDefs.Ids.ANYONE_ID_UNSAFE));
    }

    /** Access list that gives everything to this identity only; open to all for {@link #NONE}. */
    List<ACL> ownerList() {
        return id == null ? ZooDefs.Ids.OPEN_ACL_UNSAFE : list(new ACL(ZooDefs.Perms.ALL, id));
    }

    /** ZooKeeper's client searches lists for null, which those of List.of reject. */
    private static List<ACL> list(ACL... entries) {
        return Collections.unmodifiableList(Arrays.asList(entries));
    }

    boolean isOwn(Id other) {
        return other.equals(id);
    }

    /** Scheme and name as ZooKeeper's whoAmI reports them; empty for {@link #NONE}. */
    Optional<String> known() {
        return id == null ? Optional.empty() : Optional.of(text(id));
    }

    /** Scheme and name of an identity in an access list, without the hash of a password. */
    static String text(Id id) {
        String name = id.getScheme().equals(DIGEST) ? id.getId().replaceFirst(":.*", "") : id.getId();
        return id.getScheme() + ":" + name;
    }

    /** Scheme and name, without the password. */
    @Override
    public String toString() {
        return known().orElse("world:anyone");
    }
}
