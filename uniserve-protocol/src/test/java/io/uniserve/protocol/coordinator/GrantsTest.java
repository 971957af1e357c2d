package io.uniserve.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.access.RegistryValueFollower;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Changes of the rules of users, and processes that follow them. */
class GrantsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final RoleGrant ANN = new RoleGrant("ann", Role.WRITER, new TablePattern("logs-*"));
    private static final RoleGrant BOB = new RoleGrant("bob", Role.MONITOR, TablePattern.ALL);

    private final TestingCluster cluster = new TestingCluster();
    private final Node node = cluster.leading(1);
    private final List<Optional<AccessRules>> received = new ArrayList<>();

    private void change(RoleGrant grant, boolean revoke) {
        assertThat(cluster.admin(node, new AdminRequest.ChangeGrant(grant, revoke)))
                .isInstanceOf(AdminReply.Ack.class);
    }

    private AdminReply.UserRoles list(String user, boolean all) {
        return (AdminReply.UserRoles) cluster.admin(node, new AdminRequest.ListGrants(user, all));
    }

    @Test
    void rulesAreAddedListedAndRemoved() {
        assertThat(list("", true).grants()).isEmpty();
        change(ANN, false);
        change(BOB, false);
        change(ANN, false);
        assertThat(list("", true).grants()).containsExactly(ANN, BOB);
        assertThat(list("ann", false).grants()).containsExactly(ANN);
        change(ANN, true);
        change(ANN, true);
        assertThat(list("", true).grants()).containsExactly(BOB);
        assertThat(cluster.store.value(RegistryPaths.ACCESS)).isEqualTo(new AccessRules(List.of(BOB)));
    }

    @Test
    void limitsAreSetReplacedListedAndRemoved() {
        change(ANN, false);
        limit(LimitKind.CONCURRENT_QUERIES, 4);
        limit(LimitKind.CONCURRENT_QUERIES, 8);
        limit(LimitKind.UPDATE_ROWS_PER_SECOND, 100);
        assertThat(list("", true).limits())
                .containsExactly(
                        new RoleLimit(Role.WRITER, LimitKind.CONCURRENT_QUERIES, 8),
                        new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 100));
        assertThat(list("ann", false).limits()).hasSize(2);
        limit(LimitKind.CONCURRENT_QUERIES, 0);
        limit(LimitKind.ANSWER_ROWS, 0);
        assertThat(list("", true).limits())
                .containsExactly(new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 100));
        assertThat(list("", true).grants()).containsExactly(ANN);
    }

    private void limit(LimitKind kind, long value) {
        assertThat(cluster.admin(node, new AdminRequest.ChangeLimit(Role.WRITER, kind, value)))
                .isInstanceOf(AdminReply.Ack.class);
    }

    @Test
    void aNodeThatHoldsNoRulesIsRefusedAndStays() {
        cluster.store.multi(node.registry(), List.of(new Op.Create(RegistryPaths.ACCESS, new TermRecord("x"), false)));
        assertThat(cluster.refused(node, new AdminRequest.ChangeGrant(ANN, false))
                        .code())
                .isEqualTo(ErrorCode.CORRUPT);
        assertThat(cluster.store.value(RegistryPaths.ACCESS)).isEqualTo(new TermRecord("x"));
    }

    @Test
    void aProcessFollowsEachChangeWithinTwoSeconds() {
        Node other = cluster.coordinator("other");
        RegistryValueFollower.ofRules(other.registry(), cluster.loop, received::add)
                .start();
        cluster.loop.run(SECOND);
        assertThat(received).containsExactly(Optional.of(AccessRules.NONE));
        change(ANN, false);
        cluster.loop.run(2 * SECOND);
        assertThat(received).endsWith(Optional.of(new AccessRules(List.of(ANN))));
        other.registry().expire();
        change(BOB, false);
        change(ANN, true);
        assertThat(cluster.loop.runUntil(
                        () -> received.get(received.size() - 1).equals(Optional.of(new AccessRules(List.of(BOB)))),
                        20 * SECOND))
                .as("after a new session")
                .isTrue();
    }

    /** The repair of the manual: the node is deleted, and rules are granted anew. Its version is the same again. */
    @Test
    void aNodeThatIsDamagedDeletedAndMadeAnewIsFollowed() {
        Node other = cluster.coordinator("other");
        change(ANN, false);
        RegistryValueFollower.ofRules(other.registry(), cluster.loop, received::add)
                .start();
        cluster.loop.run(SECOND);
        replace(new TermRecord("x"), 0);
        cluster.loop.run(5 * SECOND);
        assertThat(received).containsExactly(Optional.of(new AccessRules(List.of(ANN))), Optional.empty());
        cluster.store.multi(node.registry(), List.of(new Op.Delete(RegistryPaths.ACCESS, 1)));
        change(BOB, false);
        cluster.loop.run(2 * SECOND);
        assertThat(received).endsWith(Optional.of(new AccessRules(List.of(BOB))));
        replace(new AccessRules(List.of(ANN)), 0);
        cluster.store.multi(node.registry(), List.of(new Op.Delete(RegistryPaths.ACCESS, 1)));
        cluster.store.multi(
                node.registry(),
                List.of(new Op.Create(RegistryPaths.ACCESS, new AccessRules(List.of(BOB, ANN)), false)));
        cluster.loop.run(2 * SECOND);
        assertThat(received).endsWith(Optional.of(new AccessRules(List.of(ANN, BOB))));
    }

    private void replace(RegistryValue value, int version) {
        assertThat(cluster.store
                        .multi(node.registry(), List.of(new Op.Set(RegistryPaths.ACCESS, value, version)))
                        .applied())
                .isTrue();
    }
}
