package io.uniserve.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.access.RegistryValueFollower;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Changes of the users with a password, and processes that follow them. */
class UsersTest {
    private static final long SECOND = 1_000_000_000L;

    private final TestingCluster cluster = new TestingCluster();
    private final Node node = cluster.leading(1);
    private final List<Optional<UserCredentials>> received = new ArrayList<>();

    private static UserCredential credential(String user, int key) {
        return new UserCredential(
                user,
                bytes(Limits.PASSWORD_SALT_BYTES, key),
                4_096,
                bytes(Limits.PASSWORD_KEY_BYTES, key),
                bytes(Limits.PASSWORD_KEY_BYTES, -key));
    }

    private static Bytes bytes(int size, int value) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) value);
        return Bytes.wrap(bytes);
    }

    private void put(UserCredential credential, boolean add) {
        assertThat(cluster.admin(node, new AdminRequest.PutUser(credential, add)))
                .isInstanceOf(AdminReply.Ack.class);
    }

    private void refused(AdminRequest request, String text) {
        assertThat(cluster.refused(node, request))
                .hasMessageContaining(text)
                .satisfies(error -> assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private UserCredentials stored() {
        return (UserCredentials) Objects.requireNonNull(cluster.store.value(RegistryPaths.USERS));
    }

    @Test
    void usersAreAddedChangedListedAndRemoved() {
        assertThat(cluster.admin(node, new AdminRequest.ListUsers())).isEqualTo(new AdminReply.Users(List.of()));
        put(credential("bob", 1), true);
        put(credential("ann", 2), true);
        put(credential("bob", 3), false);
        assertThat(cluster.admin(node, new AdminRequest.ListUsers()))
                .isEqualTo(new AdminReply.Users(
                        List.of(new AdminReply.UserInfo("ann", 4_096), new AdminReply.UserInfo("bob", 4_096))));
        assertThat(stored().users()).containsExactly(credential("ann", 2), credential("bob", 3));
        assertThat(cluster.admin(node, new AdminRequest.RemoveUser("bob"))).isInstanceOf(AdminReply.Ack.class);
        assertThat(stored().users()).containsExactly(credential("ann", 2));
    }

    @Test
    void addAndPasswdAreDistinguishedAndNothingChanges() {
        refused(new AdminRequest.PutUser(credential("ann", 1), false), "uniserve user add ann");
        refused(new AdminRequest.RemoveUser("ann"), "user ann has no password");
        assertThat(cluster.store.value(RegistryPaths.USERS)).isNull();
        put(credential("ann", 1), true);
        refused(new AdminRequest.PutUser(credential("ann", 2), true), "uniserve user passwd ann");
        assertThat(stored().users()).containsExactly(credential("ann", 1));
    }

    /** A client sends a request again if its answer was lost. */
    @Test
    void theSameRequestTwiceSucceeds() {
        put(credential("ann", 1), true);
        put(credential("ann", 1), true);
        assertThat(stored().users()).containsExactly(credential("ann", 1));
    }

    @Test
    void theKeyOfSaltsIsRandomAndStays() {
        put(credential("ann", 1), true);
        Bytes key = stored().saltKey();
        assertThat(key.size()).isEqualTo(Limits.PASSWORD_KEY_BYTES);
        put(credential("bob", 1), true);
        cluster.admin(node, new AdminRequest.RemoveUser("ann"));
        cluster.admin(node, new AdminRequest.RemoveUser("bob"));
        assertThat(stored()).isEqualTo(new UserCredentials(key, List.of()));
    }

    @Test
    void beyondTheLimitOfUsersNothingChanges() {
        List<UserCredential> users = new ArrayList<>();
        for (int i = 0; i < Limits.USERS_MAX; i++) {
            users.add(credential("u" + i, 1));
        }
        UserCredentials full = new UserCredentials(bytes(Limits.PASSWORD_KEY_BYTES, 9), users);
        cluster.store.multi(node.registry(), List.of(new Op.Create(RegistryPaths.USERS, full, false)));
        assertThat(cluster.refused(node, new AdminRequest.PutUser(credential("ann", 1), true))
                        .code())
                .isEqualTo(ErrorCode.TOO_LARGE);
        put(credential("u7", 2), false);
        assertThat(stored().find("u7")).contains(credential("u7", 2));
    }

    @Test
    void aNodeThatHoldsNoUsersIsRefusedAndStays() {
        cluster.store.multi(node.registry(), List.of(new Op.Create(RegistryPaths.USERS, new TermRecord("x"), false)));
        assertThat(cluster.refused(node, new AdminRequest.PutUser(credential("ann", 1), true))
                        .code())
                .isEqualTo(ErrorCode.CORRUPT);
        assertThat(cluster.store.value(RegistryPaths.USERS)).isEqualTo(new TermRecord("x"));
    }

    @Test
    void aProcessFollowsEachChangeWithinTwoSeconds() {
        Node other = cluster.coordinator("other");
        RegistryValueFollower.ofUsers(other.registry(), cluster.loop, received::add)
                .start();
        cluster.loop.run(SECOND);
        assertThat(received).containsExactly(Optional.of(UserCredentials.NONE));
        put(credential("ann", 1), true);
        cluster.loop.run(2 * SECOND);
        assertThat(received).endsWith(Optional.of(stored()));
        put(credential("ann", 2), false);
        cluster.loop.run(2 * SECOND);
        assertThat(received).endsWith(Optional.of(stored()));
        assertThat(stored().find("ann")).contains(credential("ann", 2));
    }

    @Test
    void noTextHasAKey() {
        UserCredential credential = credential("ann", 5);
        UserCredentials users = new UserCredentials(bytes(Limits.PASSWORD_KEY_BYTES, 6), List.of(credential));
        assertThat(credential).hasToString("ann (4096 iterations)");
        assertThat(users).hasToString("users [ann (4096 iterations)]");
        assertThat(new AdminRequest.PutUser(credential, true))
                .hasToString("PutUser[credential=ann (4096 iterations), add=true]");
    }
}
