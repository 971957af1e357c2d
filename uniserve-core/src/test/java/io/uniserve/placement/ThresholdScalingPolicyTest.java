package io.uniserve.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.placement.ScalingView.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ThresholdScalingPolicyTest {
    private static final ScalingLimits LIMITS = new ScalingLimits(0.3, 0.7, 0.8, 2, 2, 6, 1);
    private final ScalingPolicy policy = new ThresholdScalingPolicy(LIMITS);

    private static Server server(String id, double cpu, int primaries, String keepReason) {
        return new Server(
                new ServerId(id), OptionalDouble.of(cpu), 1, 40, 100, 10, 100, 5, primaries, primaries, keepReason);
    }

    private static ScalingView servers(int count, double cpu) {
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            servers.add(server("s" + i, cpu, 10 - i, ""));
        }
        return new ScalingView(servers);
    }

    @Test
    void addsAboveTheUpperLimitUpToTheMaximum() {
        assertThat(policy.decide(servers(3, 0.71)).add()).isEqualTo(2);
        assertThat(policy.decide(servers(5, 0.71)).add()).isEqualTo(1);
        ScalingDecision full = policy.decide(servers(6, 0.9));
        assertThat(full.isNone()).isTrue();
        assertThat(full.reason()).isEqualTo("CPU 90 % is above 70 %, but 6 servers are the maximum");
    }

    @Test
    void nothingChangesBetweenTheLimits() {
        assertThat(policy.decide(servers(4, 0.7)).isNone()).isTrue();
        assertThat(policy.decide(servers(4, 0.3)).isNone()).isTrue();
    }

    @Test
    void removesTheServerWithTheFewestPrimaries() {
        ScalingDecision decision = policy.decide(servers(5, 0.2));
        assertThat(decision.remove()).containsExactly(new ServerId("s4"));
        assertThat(decision.reason()).contains("CPU 20 % is below 30 %").contains("fewest primaries, 6");
        List<Server> kept = new ArrayList<>(servers(5, 0.2).servers());
        kept.set(4, server("s4", 0.2, 6, "an operator has drained it"));
        assertThat(policy.decide(new ScalingView(kept)).remove()).containsExactly(new ServerId("s3"));
    }

    @Test
    void theRestMustBearTheLoadWithOneMoreServerLost() {
        ScalingDecision decision = policy.decide(servers(3, 0.29));
        assertThat(decision.isNone()).isTrue();
        assertThat(decision.reason()).contains("1 spare servers CPU would be 87 %");
        assertThat(policy.decide(servers(3, 0.2)).remove()).hasSize(1);
        ScalingLimits single = new ScalingLimits(0.3, 0.7, 0.8, 1, 1, 6, 1);
        assertThat(new ThresholdScalingPolicy(single).decide(servers(2, 0.01)).reason())
                .contains("CPU would be without a server");
    }

    @Test
    void theDataOfTheServerMustFitOnTheOthers() {
        ScalingDecision decision = policy.decide(servers(2, 0.1));
        assertThat(decision.reason()).contains("2 servers are the minimum");
        ScalingLimits tight = new ScalingLimits(0.3, 0.7, 0.45, 1, 1, 6, 0);
        assertThat(new ThresholdScalingPolicy(tight).decide(servers(3, 0.1)).reason())
                .contains("data would fill 60 % of the memory");
        ScalingLimits full = new ScalingLimits(0.3, 0.7, 0.39, 1, 1, 6, 0);
        assertThat(new ThresholdScalingPolicy(full).decide(servers(3, 0.5)).add())
                .isEqualTo(1);
    }

    @Test
    void fewerThanTheMinimumAreReplacedEvenWithoutLoads() {
        assertThat(policy.decide(new ScalingView(List.of())).add()).isEqualTo(2);
        assertThat(policy.decide(servers(1, 0.1)).add()).isEqualTo(1);
    }

    @Test
    void moreThanTheMaximumAreReduced() {
        assertThat(policy.decide(servers(7, 0.4)).remove()).hasSize(1);
    }

    @Test
    void aMissingReportIsNoZero() {
        List<Server> servers = new ArrayList<>(servers(4, 0.1).servers());
        servers.set(1, new Server(new ServerId("s1"), OptionalDouble.empty(), 1, 0, 0, 0, 0, 0, 0, 0, ""));
        ScalingDecision decision = policy.decide(new ScalingView(servers));
        assertThat(decision.isNone()).isTrue();
        assertThat(decision.reason()).contains("s1 has reported no CPU time");
    }

    @Test
    void limitsOutOfOrderAreRefused() {
        assertThatThrownBy(() -> new ScalingLimits(0.7, 0.3, 0.8, 1, 1, 2, 0))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("the first below the second");
        assertThatThrownBy(() -> new ScalingLimits(0.3, 0.7, 0.8, 1, 3, 2, 0))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("servers-min 3 and servers-max 2");
        assertThatThrownBy(() -> new ScalingLimits(0.3, 0.7, Double.NaN, 1, 1, 2, 0))
                .isInstanceOf(UniserveException.class);
    }
}
