package io.uniserve.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplainerTest {
    private final ClusterLoad in = new ClusterLoadBuilder(new double[] {4, 1, 1}, new double[] {2, 2, 1})
            .current(Assignment.single(new int[] {0, 0, 2}))
            .sets(List.of(new ShardSet(0.5, new int[] {0, 1})))
            .build();
    private final Assignment now = Assignment.of(new int[][] {{0, 1}, {1}, {2}}, new double[][] {{0.5, 0.5}, {1}, {1}});

    @Test
    void itTellsWhyAndWhatElse() {
        Explanation hot = new Explainer(in, now).explain(0);
        assertThat(hot.facts().get(0)).contains("2.00 times a server's fair share");
        assertThat(hot.facts().get(1)).contains("needs 2 replicas");
        assertThat(hot.hosts().get(1)).contains("new: one more replica", "at frequency 0.5");
        assertThat(hot.others()).containsExactly("server 2: no memory: 1.000 of 1.000 used");
        Explanation moved = new Explainer(in, now).explain(1);
        assertThat(moved.hosts().get(0)).contains("left server 0, which would have 1 others of a set of 2");
        assertThat(moved.others().get(0)).startsWith("server 0: contention +0");
    }

    @Test
    void anUnknownActorIsRefused() {
        assertThatThrownBy(() -> new Explainer(in, now).explain(3)).hasMessageContaining("use 0 to 2");
    }
}
