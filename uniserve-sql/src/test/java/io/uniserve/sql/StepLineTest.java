package io.uniserve.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.plan.PlanContext.Taken;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StepLineTest {
    @Test
    void serversAreNamedAsStatusNamesThem() {
        assertThat(StepLine.of(
                        "partial: 1 row",
                        new Taken(1_234, Set.of("b", "3f2a9c41-0000-4000-8000-00000000000a")),
                        1_500_000))
                .isEqualTo("partial: 1 row; 1,234 bytes read of 2 servers (3f2a9c41, b); 1.5 ms");
        assertThat(StepLine.of("in place: t", Taken.NOTHING, 0)).isEqualTo("in place: t; 0.0 ms");
        assertThat(StepLine.servers(List.of("a"))).isEqualTo("1 server (a)");
    }

    @Test
    void ofManyServersTheFirstEightAreNamed() {
        List<String> ten =
                IntStream.range(0, 10).mapToObj(number -> "s" + number).toList();
        assertThat(StepLine.servers(ten.subList(0, 8))).isEqualTo("8 servers (s0, s1, s2, s3, s4, s5, s6, s7)");
        assertThat(StepLine.servers(ten)).isEqualTo("10 servers (s0, s1, s2, s3, s4, s5, s6, s7 and 2 more)");
    }
}
