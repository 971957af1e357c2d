package io.uniserve.runtime.engine;

import static io.uniserve.runtime.engine.HostWorld.KEY;
import static io.uniserve.runtime.engine.HostWorld.OTHER;
import static io.uniserve.runtime.engine.HostWorld.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost.Update;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.runtime.async.Waiter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options that reach an actor through its log. */
class MutableOptionsTest {
    private static final String CHECKPOINT = "t7-a3/c1/data";

    @TempDir
    private Path directory;

    private final TestingPort port = new TestingPort();

    private static Bytes later(Object word) {
        BinaryWriter out = new BinaryWriter().writeInt(1);
        Document.CODEC.write(out, new Document("id", Map.of("word.later", word)));
        return out.toBytes();
    }

    private static void apply(HostWorld world, Update... updates) {
        Waiter.<Done>value(done -> world.host.apply(KEY, List.of(updates), false, done));
    }

    private static Update step(long index, String what) {
        return new Update(index, TestingPort.UPDATE, rows(what));
    }

    private static Update change(long index, String word) {
        return new Update(index, MutableOptions.FUNCTION, later(word));
    }

    @Test
    void theActorIsMadeAnewFromItsPublishedFilesInTheOrderOfTheLog() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            HostedActor reader = world.host.pin(KEY).orElseThrow();
            long state = reader.stateNumber();
            apply(world, step(1, "a"), change(2, "x"), step(3, "b"));
            assertThat(port.events).containsExactly("create", "a", "publish", "create", "b");
            assertThat(port.options).containsExactly(Map.of(), Map.of("word.later", "x"));
            HostedActor now = world.host.pin(KEY).orElseThrow();
            assertThat(now).isNotSameAs(reader);
            assertThat(now.stateNumber()).isNotEqualTo(state);
            now.release();
            assertThat(port.events).doesNotContain("destroy");
            reader.release();
            org.awaitility.Awaitility.await().until(() -> port.events.contains("destroy"));
        }
    }

    @Test
    void checkpointsCarryTheOptionsAndNewActorsBeginWithoutThem() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            Bytes before = Waiter.value(done -> world.host.digest(KEY, done));
            apply(world, change(1, "x"));
            assertThat(Waiter.<Bytes>value(done -> world.host.digest(KEY, done)))
                    .isNotEqualTo(before);
            Waiter.<Done>value(done -> world.host.checkpoint(KEY, CHECKPOINT, done));
            TableMeta meta = world.meta().with(Map.of("word.later", "xyz"));
            Waiter.<Done>value(done -> world.host.create(OTHER, meta, done));
            Waiter.<Done>value(done -> world.host.restore(OTHER, meta, CHECKPOINT, done));
            assertThat(port.options)
                    .containsExactly(Map.of(), Map.of("word.later", "x"), Map.of(), Map.of("word.later", "x"));
            Waiter.<Done>value(done -> world.host.apply(OTHER, List.of(change(2, "xy"), change(3, "xyz")), true, done));
            assertThat(port.options).last().isEqualTo(Map.of("word.later", "xyz"));
        }
    }

    @Test
    void whatThePortDoesNotAllowIsRefusedOrChangesNothing() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            apply(world, change(1, "x"), change(2, "x"), change(3, "y"));
            assertThat(port.options).containsExactly(Map.of(), Map.of("word.later", "x"));
            assertThat(Waiter.<RowStateDependency>error(
                                    done -> world.host.validate(KEY, MutableOptions.FUNCTION, later("y"), done))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
            for (Bytes bad : List.of(later(7L), later("x").slice(0, 9))) {
                assertThat(Waiter.<RowStateDependency>error(
                                        done -> world.host.validate(KEY, MutableOptions.FUNCTION, bad, done))
                                .code())
                        .isEqualTo(ErrorCode.INVALID_ROW);
            }
            Waiter.<RowStateDependency>value(
                    done -> world.host.validate(KEY, MutableOptions.FUNCTION, later("xx"), done));
            assertThat(port.events).startsWith("create", "publish", "create").doesNotContain("y");
        }
    }
}
