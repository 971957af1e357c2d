package io.uniserve.model.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.AccessRules;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserLimitsTest {
    private static final RoleLimit READER_QUERIES = new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 4);
    private static final RoleLimit WRITER_QUERIES = new RoleLimit(Role.WRITER, LimitKind.CONCURRENT_QUERIES, 8);
    private static final RoleLimit WRITER_UPDATES = new RoleLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 100);

    private static long queries(List<Role> roles, RoleLimit... limits) {
        return UserLimits.of(roles, List.of(limits)).max(LimitKind.CONCURRENT_QUERIES);
    }

    @Test
    void theRoleThatPermitsMostDecides() {
        assertThat(queries(List.of(Role.READER), READER_QUERIES, WRITER_QUERIES))
                .isEqualTo(4);
        assertThat(queries(List.of(Role.READER, Role.WRITER), READER_QUERIES, WRITER_QUERIES))
                .isEqualTo(8);
        assertThat(queries(List.of(Role.READER, Role.WRITER), READER_QUERIES))
                .as("writers have no limit")
                .isEqualTo(Long.MAX_VALUE);
        assertThat(queries(List.of(Role.READER, Role.ADMIN), READER_QUERIES)).isEqualTo(Long.MAX_VALUE);
        assertThat(queries(List.of())).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void rolesThatMakeNoSuchRequestsLiftNoLimit() {
        assertThat(queries(List.of(Role.READER, Role.MONITOR, Role.OPERATOR), READER_QUERIES))
                .isEqualTo(4);
        UserLimits limits = UserLimits.of(List.of(Role.READER, Role.WRITER), List.of(WRITER_UPDATES));
        assertThat(limits.max(LimitKind.UPDATE_ROWS_PER_SECOND))
                .as("readers send no updates")
                .isEqualTo(100);
        assertThat(limits.limit(LimitKind.UPDATE_ROWS_PER_SECOND)).contains(WRITER_UPDATES);
        assertThat(limits.all()).containsExactly(WRITER_UPDATES);
        assertThat(UserLimits.of(List.of(Role.READER), List.of(WRITER_UPDATES)).isEmpty())
                .isTrue();
    }

    @Test
    void errorsNameTheUserTheLimitAndItsRole() {
        UserLimits limits =
                UserLimits.of(List.of(Role.READER), List.of(new RoleLimit(Role.READER, LimitKind.DEADLINE_MS, 1_500)));
        UniserveException error = limits.exceeded(ErrorCode.QUERY_KILLED, LimitKind.DEADLINE_MS, "ann", "ask for less");
        assertThat(error.code()).isEqualTo(ErrorCode.QUERY_KILLED);
        assertThat(error)
                .hasMessageContaining("user ann is over its limit deadline-ms = 1500 of role reader: ask for less");
    }

    @Test
    void limitsThatCanNotHoldAreRefused() {
        assertThatThrownBy(() -> new RoleLimit(Role.READER, LimitKind.UPDATE_ROWS_PER_SECOND, 1))
                .hasMessageContaining("role reader changes no rows");
        assertThatThrownBy(() -> new RoleLimit(Role.MONITOR, LimitKind.CONCURRENT_QUERIES, 1))
                .hasMessageContaining("role monitor reads no rows");
        assertThatThrownBy(() -> new RoleLimit(Role.OPERATOR, LimitKind.ANSWER_ROWS, 1))
                .hasMessageContaining("use reader, writer or admin");
        for (long value : new long[] {0, -1, Long.MIN_VALUE, LimitKind.CONCURRENT_QUERIES.max() + 1}) {
            assertThatThrownBy(() -> new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, value))
                    .hasMessageContaining("use 1 to 1000000");
        }
        assertThatThrownBy(() -> LimitKind.of("speed"))
                .hasMessageContaining(
                        "concurrent-queries, result-bytes, deadline-ms, answer-rows, update-rows-per-second");
        assertThatThrownBy(() -> new AccessRules(
                        List.of(),
                        List.of(),
                        List.of(READER_QUERIES, new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 5))))
                .hasMessageContaining("two limits");
    }

    @Test
    void aLimitOfARoleIsReplacedAndRemoved() {
        AccessRules rules = AccessRules.NONE.with(READER_QUERIES).with(WRITER_UPDATES);
        rules = rules.with(new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 5));
        assertThat(rules.limits())
                .containsExactlyInAnyOrder(WRITER_UPDATES, new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 5));
        assertThat(rules.without(Role.READER, LimitKind.ANSWER_ROWS)).isEqualTo(rules);
        assertThat(rules.without(Role.READER, LimitKind.CONCURRENT_QUERIES).limits())
                .containsExactly(WRITER_UPDATES);
        assertThat(rules.with(new RoleGrant("ann", Role.READER, TablePattern.ALL))
                        .limits())
                .hasSize(2);
        assertThat(rules.with(new Revocation("user/ann")).limits()).hasSize(2);
    }
}
