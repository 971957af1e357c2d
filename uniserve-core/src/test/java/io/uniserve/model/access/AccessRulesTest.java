package io.uniserve.model.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.AccessRules;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AccessRulesTest {
    private static final Optional<TableName> LOGS = Optional.of(new TableName("logs-2026"));
    private static final Optional<TableName> ORDERS = Optional.of(new TableName("orders"));

    private static AccessRules rules(String user, Role role, String tables) {
        return AccessRules.NONE.with(new RoleGrant(user, role, new TablePattern(tables)));
    }

    @Test
    void withoutARuleNothingIsPermittedButAConnection() {
        for (Right right : Right.values()) {
            assertThat(AccessRules.NONE.permits("ann", right, LOGS)).isEqualTo(right == Right.CONNECT);
        }
    }

    @Test
    void aRoleOfTablesHoldsForTheTablesOfItsPatternOnly() {
        AccessRules rules = rules("ann", Role.WRITER, "logs-*");
        assertThat(rules.permits("ann", Right.WRITE, LOGS)).isTrue();
        assertThat(rules.permits("ann", Right.READ, LOGS)).isTrue();
        assertThat(rules.permits("ann", Right.DESCRIBE, ORDERS)).isFalse();
        assertThat(rules.permits("bob", Right.READ, LOGS)).isFalse();
        assertThat(rules.permits("ann", Right.MONITOR, Optional.empty())).isFalse();
        assertThat(rules.permits("ann", Right.WRITE, Optional.empty()))
                .as("a right of a table, without one")
                .isFalse();
        assertThat(rules("ann", Role.READER, "logs").permits("ann", Right.READ, LOGS))
                .isFalse();
        assertThat(rules("ann", Role.READER, "*").permits("ann", Right.READ, ORDERS))
                .isTrue();
        assertThat(rules("ann", Role.READER, "*").permits("ann", Right.WRITE, ORDERS))
                .isFalse();
    }

    @Test
    void rolesOfTheClusterReadNoRowsExceptAdmin() {
        for (Role role : List.of(Role.OPERATOR, Role.MONITOR)) {
            AccessRules rules = rules("eve", role, "*");
            assertThat(rules.permits("eve", Right.READ, LOGS)).isFalse();
            assertThat(rules.permits("eve", Right.WRITE, LOGS)).isFalse();
            assertThat(rules.permits("eve", Right.ADMINISTER, Optional.empty())).isFalse();
            assertThat(rules.permits("eve", Right.MONITOR, Optional.empty())).isTrue();
            assertThat(rules.permits("eve", Right.OPERATE, Optional.empty())).isEqualTo(role == Role.OPERATOR);
        }
        for (Right right : Right.values()) {
            assertThat(rules("root", Role.ADMIN, "*").permits("root", right, LOGS))
                    .isTrue();
        }
    }

    @Test
    void aRevokedRuleLeavesTheOthers() {
        RoleGrant reader = new RoleGrant("ann", Role.READER, TablePattern.ALL);
        AccessRules both = rules("ann", Role.WRITER, "logs-*").with(reader).with(reader);
        assertThat(both.grants()).hasSize(2);
        assertThat(both.without(reader)).isEqualTo(rules("ann", Role.WRITER, "logs-*"));
        assertThat(both.without(new RoleGrant("ann", Role.READER, new TablePattern("logs-*"))))
                .isEqualTo(both);
    }

    @Test
    void malformedRulesAreRefused() {
        for (String pattern :
                List.of("", "**", "a*b", "*a", "1a", "a b", "a/../b", "a\n", "x".repeat(65), "\uD83D\uDE00")) {
            assertThatThrownBy(() -> new TablePattern(pattern)).isInstanceOf(UniserveException.class);
        }
        for (String user : List.of("", "-a", ".a", "a b", "a\n", "a/b", "x".repeat(65), "\u00e4")) {
            assertThatThrownBy(() -> new RoleGrant(user, Role.READER, TablePattern.ALL))
                    .isInstanceOf(UniserveException.class);
        }
        assertThatThrownBy(() -> new RoleGrant("ann", Role.ADMIN, new TablePattern("logs")))
                .hasMessageContaining("role admin is of the whole cluster");
        List<RoleGrant> many = IntStream.rangeClosed(0, Limits.GRANTS_MAX)
                .mapToObj(i -> new RoleGrant("u" + i, Role.READER, TablePattern.ALL))
                .toList();
        assertThatThrownBy(() -> new AccessRules(many)).hasMessageContaining("at most " + Limits.GRANTS_MAX);
    }
}
