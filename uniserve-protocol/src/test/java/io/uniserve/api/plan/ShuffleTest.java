package io.uniserve.api.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.MapCall;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.model.TableName;
import io.uniserve.protocol.exchange.ShuffleStateMachine;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleTest {
    private static final TableName TABLE = new TableName("t");
    private static final ScatterCall<String> SCATTER = new ScatterCall<>("s@1", Codecs.STRING);
    private static final MapCall<String> MAP = new MapCall<>("m@1", Codecs.STRING);
    private static final GatherCall<String, Long> GATHER = new GatherCall<>("g@1", Codecs.STRING, Codecs.LONG);

    private static Shuffle.Builder scatters(int count) {
        Shuffle.Builder all = Shuffle.scatter(TABLE, SCATTER, "0");
        for (int i = 1; i < count; i++) {
            all = all.scatter(TABLE, SCATTER, String.valueOf(i));
        }
        return all;
    }

    @Test
    void aPlanHasItsScattersInOrder() {
        Shuffle<String, Long> plan =
                scatters(2).scatterBroadcast(TABLE, SCATTER, "all").gather(TABLE, GATHER, "p");
        assertThat(plan.scatters().stream().map(scatter -> (Object) scatter.distribution()))
                .containsExactly(Distribution.PARTITIONED, Distribution.PARTITIONED, Distribution.BROADCAST);
        assertThat(plan.scatters().stream().map(scatter -> (Object) scatter.parameters()))
                .containsExactly("0", "1", "all");
    }

    @Test
    void aPlanThatIsTooLongIsRefused() {
        scatters(16).gather(TABLE, GATHER, "p");
        assertThatThrownBy(() -> scatters(17).gather(TABLE, GATHER, "p"))
                .hasMessageContaining("a plan has 17 scatters and maps, use 1 to 16");
    }

    @Test
    void aMapTakesInWhatNoOtherHasTaken() {
        Shuffle<String, Long> plan = scatters(2)
                .map(TABLE, MAP, "first")
                .add(scatters(2).map(TABLE, MAP, "second", Distribution.COLOCATED))
                .scatter(TABLE, SCATTER, "last")
                .gather(TABLE, GATHER, "p");
        assertThat(plan.scatters().stream().map(scatter -> (Object) scatter.inputs()))
                .containsExactly(List.of(), List.of(), List.of(0, 1), List.of(), List.of(), List.of(3, 4), List.of());
        assertThat(Shuffle.unconsumedStages(
                        plan.scatters().stream().map(Shuffle.Scatter::inputs).toList()))
                .containsExactly(2, 5, 6);
    }

    @Test
    void stagesThatCannotBeAreRefused() {
        assertThatThrownBy(() ->
                        new Shuffle.Scatter<>(TABLE, Optional.empty(), MAP, "", Distribution.PARTITIONED, List.of()))
                .hasMessageContaining("stage m@1 of a plan gets the chunks of 0 others");
        assertThatThrownBy(() -> new Shuffle.Scatter<>(
                        TABLE, Optional.empty(), SCATTER, "", Distribution.PARTITIONED, List.of(0)))
                .hasMessageContaining("stage s@1 of a plan gets the chunks of 1 others");
        Shuffle.Scatter<String> leaf =
                new Shuffle.Scatter<>(TABLE, Optional.empty(), SCATTER, "", Distribution.PARTITIONED);
        Shuffle.Scatter<String> map =
                new Shuffle.Scatter<>(TABLE, Optional.empty(), MAP, "", Distribution.PARTITIONED, List.of(0));
        assertThatThrownBy(() -> new Shuffle<>(List.of(leaf, map, map), TABLE, GATHER, ""))
                .hasMessageContaining("stage 2 of a plan wants the chunks of stage 0");
        assertThatThrownBy(() -> new Shuffle<>(List.of(map), TABLE, GATHER, ""))
                .hasMessageContaining("stage 0 of a plan wants the chunks of stage 0");
        assertThatThrownBy(() -> scatters(1).add(map)).hasMessageContaining("is a map: use map()");
        ShuffleStateMachine.Scatter kept =
                new ShuffleStateMachine.Scatter(TABLE, List.of(0, 5), "s@1", Bytes.EMPTY, Distribution.COLOCATED);
        assertThatThrownBy(() -> new ShuffleStateMachine.Plan(List.of(kept), TABLE, List.of(0, 1), "g@1", Bytes.EMPTY))
                .hasMessageContaining("output of s@1 at actors [0, 5] of table t is only for these actors");
        assertThatThrownBy(() -> new ShuffleStateMachine.Plan(
                        List.of(kept), new TableName("u"), List.of(0, 5), "g@1", Bytes.EMPTY))
                .hasMessageContaining("of table u needs it");
        ShuffleStateMachine.Scatter nowhere = new ShuffleStateMachine.Scatter(
                TABLE, List.of(), "m@1", Bytes.EMPTY, Distribution.PARTITIONED, List.of(0));
        ShuffleStateMachine.Scatter cut =
                new ShuffleStateMachine.Scatter(TABLE, List.of(0), "s@1", Bytes.EMPTY, Distribution.PARTITIONED);
        assertThatThrownBy(() ->
                        new ShuffleStateMachine.Plan(List.of(cut, nowhere), TABLE, List.of(0), "g@1", Bytes.EMPTY))
                .hasMessageContaining("a map at 0 actors, use 1 to 4096");
    }

    @Test
    void keysThatCannotBeAreRefused() {
        assertThatThrownBy(() ->
                        new Shuffle.Scatter<>(TABLE, Optional.of(List.of()), SCATTER, "", Distribution.PARTITIONED))
                .hasMessageContaining("scatter of 0 actors of table t");
        assertThatThrownBy(() -> new Shuffle.Scatter<>(
                        TABLE, Optional.of(List.of(3, 1, 3)), SCATTER, "", Distribution.PARTITIONED))
                .hasMessageContaining("names an actor twice: [3, 1, 3]");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 256, 257, 4096})
    void theChunksOfAPlanAreBounded(int actors) {
        List<Integer> all = IntStream.range(0, actors).boxed().toList();
        ShuffleStateMachine.Scatter scatter =
                new ShuffleStateMachine.Scatter(TABLE, all, "s@1", Bytes.EMPTY, Distribution.PARTITIONED);
        if (actors <= 256) {
            new ShuffleStateMachine.Plan(List.of(scatter), TABLE, all, "g@1", Bytes.EMPTY);
        } else {
            assertThatThrownBy(() -> new ShuffleStateMachine.Plan(List.of(scatter), TABLE, all, "g@1", Bytes.EMPTY))
                    .hasMessageContaining("at most 65536: gather at a table of fewer actors");
        }
        assertThatThrownBy(
                        () -> new ShuffleStateMachine.Plan(List.of(scatter), TABLE, List.of(1, 1), "g@1", Bytes.EMPTY))
                .hasMessageContaining("a gather names an actor twice");
        assertThatThrownBy(() -> new ShuffleStateMachine.Plan(List.of(), TABLE, all, "g@1", Bytes.EMPTY))
                .hasMessageContaining("0 scatters");
    }
}
