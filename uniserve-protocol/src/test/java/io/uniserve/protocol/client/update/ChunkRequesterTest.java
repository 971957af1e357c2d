package io.uniserve.protocol.client.update;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests for chunks by a map that does not have the table. */
class ChunkRequesterTest {
    private static final int CHUNK = 740_000;

    private final TestingWorld world = new TestingWorld();
    private final List<AdminRequest> requests = new ArrayList<>();
    private final List<Completion<AdminReply>> replies = new ArrayList<>();
    private final List<Outcome<Done>> outcomes = new ArrayList<>();

    private void startWithoutTable() {
        world.change(new Routing("c", List.of(), List.of(), new Address("leader", 7070)));
        new ChunkRequester(
                        world.environment(),
                        (leader, request, timeout, completion) -> {
                            requests.add(request);
                            replies.add(completion);
                        },
                        TABLE,
                        TABLE_ID,
                        List.of(CHUNK),
                        world.nanos() + 10_000 * MS,
                        outcomes::add)
                .start();
    }

    @Test
    void aMapOlderThanTheTableIsNoReasonToFail() {
        startWithoutTable();
        assertThat(requests).containsExactly(new AdminRequest.CreateChunks(TABLE, TABLE_ID, List.of(CHUNK)));
        replies.get(0).done(Outcome.ok(new AdminReply.Ack()));
        assertThat(outcomes).as("no map has the chunk yet").isEmpty();
        world.routeTime(1, 0, actor(CHUNK, 1, 1));
        world.pass(1_000 * MS);
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Ok.class);
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void theCoordinatorSaysThatTheTableWasDropped() {
        startWithoutTable();
        replies.get(0).done(Outcome.err(new UniserveException(ErrorCode.TABLE_NOT_FOUND, "no table t")));
        assertThat(outcomes).hasSize(1);
        assertThat(outcomes.get(0).error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(world.pendingTimers()).isZero();
    }
}
