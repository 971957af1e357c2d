package io.uniserve.api.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.model.TableName;
import io.uniserve.protocol.exchange.ShuffleMachine;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleTest {
    private static final TableName TABLE = new TableName("t");
    private static final ScatterCall<String> SCATTER = new ScatterCall<>("s@1", Codecs.STRING);
    private static final GatherCall<String, Long> GATHER = new GatherCall<>("g@1", Codecs.STRING, Codecs.LONG);

    private static Shuffle.Scatters scatters(int count) {
        Shuffle.Scatters all = Shuffle.scatter(TABLE, SCATTER, "0");
        for (int i = 1; i < count; i++) {
            all = all.with(TABLE, SCATTER, String.valueOf(i));
        }
        return all;
    }

    @Test
    void aPlanHasItsScattersInOrder() {
        Shuffle<String, Long> plan =
                scatters(2).broadcast(TABLE, SCATTER, "all").gather(TABLE, GATHER, "p");
        assertThat(plan.scatters().stream().map(Shuffle.Scatter::broadcast)).containsExactly(false, false, true);
        assertThat(plan.scatters().stream().map(scatter -> (Object) scatter.parameters()))
                .containsExactly("0", "1", "all");
    }

    @Test
    void aPlanThatIsTooLongIsRefused() {
        scatters(16).gather(TABLE, GATHER, "p");
        assertThatThrownBy(() -> scatters(17).gather(TABLE, GATHER, "p"))
                .hasMessageContaining("a plan has 17 scatters, use 1 to 16");
    }

    @Test
    void keysThatCannotBeAreRefused() {
        assertThatThrownBy(() -> new Shuffle.Scatter<>(TABLE, Optional.of(List.of()), SCATTER, "", false))
                .hasMessageContaining("scatter of 0 actors of table t");
        assertThatThrownBy(() -> new Shuffle.Scatter<>(TABLE, Optional.of(List.of(3, 1, 3)), SCATTER, "", false))
                .hasMessageContaining("names an actor twice: [3, 1, 3]");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 256, 257, 4096})
    void theChunksOfAPlanAreBounded(int actors) {
        List<Integer> all = IntStream.range(0, actors).boxed().toList();
        ShuffleMachine.Scatter scatter = new ShuffleMachine.Scatter(TABLE, all, "s@1", Bytes.EMPTY, false);
        if (actors <= 256) {
            new ShuffleMachine.Plan(List.of(scatter), TABLE, all, "g@1", Bytes.EMPTY);
        } else {
            assertThatThrownBy(() -> new ShuffleMachine.Plan(List.of(scatter), TABLE, all, "g@1", Bytes.EMPTY))
                    .hasMessageContaining("at most 65536: gather at a table of fewer actors");
        }
        assertThatThrownBy(() -> new ShuffleMachine.Plan(List.of(scatter), TABLE, List.of(1, 1), "g@1", Bytes.EMPTY))
                .hasMessageContaining("a gather names an actor twice");
        assertThatThrownBy(() -> new ShuffleMachine.Plan(List.of(), TABLE, all, "g@1", Bytes.EMPTY))
                .hasMessageContaining("0 scatters");
    }
}
