package io.uniserve.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.live.PolicyMoves;
import io.uniserve.placement.live.WholeAnswerPolicy;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.runtime.config.RebalanceSettings;
import io.uniserve.runtime.config.ReplicationSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies by name: the shipped ones, and a user's class. */
class RebalancePolicyFactoryTest {
    /** Policy of a user: every actor on every server. */
    public static final class Everywhere implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            int[][] hosts = new int[in.actors()][in.servers()];
            double[][] shares = new double[in.actors()][in.servers()];
            for (int i = 0; i < in.actors(); i++) {
                for (int j = 0; j < in.servers(); j++) {
                    hosts[i][j] = j;
                    shares[i][j] = 1.0 / in.servers();
                }
            }
            return PlacementProposal.of(Assignment.of(hosts, shares));
        }
    }

    /** Policy whose constructor fails. */
    public static final class Failing implements BalancePolicy {
        public Failing() {
            throw new IllegalStateException("no licence");
        }

        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            return PlacementProposal.of(in.current());
        }
    }

    private static RebalancePolicyFactory.Policies policies(String name, int copiesMax) {
        ReplicationLimits limits = new ReplicationLimits(copiesMax, 1, 0.5, 100, 64L << 30, 600);
        return RebalancePolicyFactory.of(new RebalanceSettings(
                Duration.ofSeconds(30),
                8,
                2,
                0.2,
                name,
                new ReplicationSettings(limits, Duration.ofMinutes(5)),
                "easy",
                Duration.ofSeconds(10)));
    }

    private static LiveCluster hot() {
        ServerId one = new ServerId("s1");
        Set<String> kv = Set.of("kv");
        CopyState copies = new CopyState(600, 600, Map.of(), 1, 0, 0, 0, true, true, true);
        return new LiveCluster(
                List.of(new Server(one, "", 1, kv), new Server(new ServerId("s2"), "", 1, kv)),
                List.of(new Actor(new ReplicaKey(1, 0), "kv", List.of(one), one, 600, 0, 0, true, copies)),
                List.of());
    }

    @Test
    void aClassOfTheUserCarriesOutItsWholeAnswer() {
        RebalancePolicyFactory.Policies mine = policies(Everywhere.class.getName(), 4);
        assertThat(mine.copies().isEnabled()).isTrue();
        assertThat(mine.copies().policy().plan(hot(), CopyTraffic.UNMEASURED).change())
                .hasValueSatisfying(change -> assertThat(change).isInstanceOf(AddCopies.class));
        assertThat(policies(Everywhere.class.getName(), 0).copies().isEnabled()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"parallelism", "getafix"})
    void policiesThatReplicateMakeCopies(String name) {
        RebalancePolicyFactory.Policies policies = policies(name, 4);
        assertThat(policies.moves())
                .isInstanceOf(WholeAnswerPolicy.class)
                .isSameAs(policies.copies().policy());
        assertThat(policies.copies()
                        .policy()
                        .plan(hot(), CopyTraffic.UNMEASURED)
                        .change())
                .isPresent();
        assertThat(policies(name, 1).moves()).isInstanceOf(PolicyMoves.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"estore", "static", "easy", "spread", "balancenum"})
    void otherPoliciesOnlyMove(String name) {
        assertThat(policies(name, 4).moves()).isInstanceOf(PolicyMoves.class);
        assertThat(policies(name, 4).copies().isEnabled()).isFalse();
    }

    @Test
    void theDefaultPolicyMovesAndCopies() {
        assertThat(policies("greedy", 4).copies().policy()).isInstanceOf(GreedyReplicationPolicy.class);
        assertThat(policies("hottest-first", 4).copies().isEnabled()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "com.example.Missing", "java.lang.String"})
    void anUnknownPolicyNamesTheSetting(String name) {
        assertThatThrownBy(() -> policies(name, 4))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining("uniserve.coordinator.rebalance.policy: ")
                .hasMessageContaining(name);
    }

    @Test
    void aClassThatCannotBeCreatedIsToldWithItsCause() {
        assertThatThrownBy(() -> policies(Failing.class.getName(), 4))
                .hasMessageContaining("uniserve.coordinator.rebalance.policy: ")
                .hasMessageContaining("no licence");
    }
}
