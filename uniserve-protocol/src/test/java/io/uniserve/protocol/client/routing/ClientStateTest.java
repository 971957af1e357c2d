package io.uniserve.protocol.client.routing;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static io.uniserve.protocol.client.routing.TestingWorld.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.routing.RoutingPolicy.Candidate;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.message.client.QueryRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ClientStateTest {
    private final RequestSettings settings = RequestSettings.defaults();

    @Test
    void failedServerIsAvoidedLongerEachTimeThenStartsSlowly() {
        ServerHealth health = new ServerHealth(settings);
        health.onFailure(server(1), 0);
        health.onFailure(server(1), 1);
        assertThat(health.loadShare(server(1), 199 * MS)).isZero();
        assertThat(health.loadShare(server(1), 200 * MS)).isEqualTo(0.1);
        assertThat(health.loadShare(server(1), 1_200 * MS)).isBetween(0.5, 0.6);
        health.onFailure(server(1), 1_200 * MS);
        assertThat(health.loadShare(server(1), 1_500 * MS)).isZero();
        assertThat(health.loadShare(server(1), 10_000 * MS)).isEqualTo(1);
        assertThat(health.loadShare(server(2), 0)).isEqualTo(1);
    }

    @Test
    void answerEndsTheAvoidanceAndBeginsTheRamp() {
        ServerHealth health = new ServerHealth(settings);
        health.onFailure(server(1), 0);
        health.onReply(server(1), 50 * MS);
        assertThat(health.loadShare(server(1), 50 * MS)).isEqualTo(0.1);
        health.onReply(server(1), 3_000 * MS);
        assertThat(health.loadShare(server(1), 3_000 * MS)).isEqualTo(1);
    }

    @Test
    void p95OfRecentLatencies() {
        LatencyTracker tracker = new LatencyTracker();
        assertThat(tracker.p95Nanos()).isEqualTo(-1);
        for (int i = 0; i < 200; i++) {
            tracker.record(i % 10 == 0 ? 100 * MS : MS);
        }
        assertThat(tracker.p95Nanos()).isBetween(100 * MS, 120 * MS);
        for (int i = 0; i < 3 * LatencyTracker.WINDOW; i++) {
            tracker.record(2 * MS);
        }
        assertThat(tracker.p95Nanos()).isBetween(2 * MS, 5 * MS / 2);
        tracker.record(Long.MAX_VALUE);
        tracker.record(-1);
    }

    @Test
    void weightedChoiceFollowsTheWeights() {
        List<Candidate> candidates = List.of(new Candidate(server(1), 3, 0), new Candidate(server(2), 1, 0));
        int[] picks = new int[2];
        long random = 1;
        for (int i = 0; i < 10_000; i++) {
            random = WeightedRandomChooser.mix(random);
            picks[RoutingPolicy.weighted().pick(candidates, random)]++;
        }
        assertThat(picks[0]).isBetween(7_300, 7_700);
    }

    @Test
    void sameCopiesFollowTheWeightsOverClientsAndMoveOnlyWhereTheyMust() {
        List<Candidate> three =
                List.of(new Candidate(server(1), 2, 0), new Candidate(server(2), 1, 9), new Candidate(server(3), 1, 0));
        List<Candidate> two = three.subList(0, 2);
        int first = 0;
        for (long client = 1; client <= 10_000; client++) {
            ServerId picked = RoutingPolicy.pickStable(three, client, 5);
            first += picked.equals(server(1)) ? 1 : 0;
            if (!picked.equals(server(3))) {
                assertThat(RoutingPolicy.pickStable(two, client, 5)).isEqualTo(picked);
            }
        }
        assertThat(first).isBetween(4_700, 5_300);
    }

    @Test
    void leastOutstandingEvadesTheBusyServer() {
        List<Candidate> candidates = List.of(new Candidate(server(1), 1, 90), new Candidate(server(2), 1, 0));
        int busy = 0;
        long random = 1;
        for (int i = 0; i < 10_000; i++) {
            random = WeightedRandomChooser.mix(random);
            busy += RoutingPolicy.leastOutstandingOfTwo().pick(candidates, random) == 0 ? 1 : 0;
        }
        assertThat(busy).isBetween(2_200, 2_800);
    }

    @Test
    void thePlannersOwnServerIsTakenUnlessItIsSpared() {
        RoutingPolicy policy = RoutingPolicy.preferLocal(server(2));
        List<Candidate> equal = List.of(new Candidate(server(1), 1, 0), new Candidate(server(2), 1, 0));
        List<Candidate> spared = List.of(new Candidate(server(1), 3, 0), new Candidate(server(2), 1, 0));
        List<Candidate> others = List.of(new Candidate(server(1), 1, 0), new Candidate(server(3), 3, 0));
        int[] picks = new int[3];
        long random = 1;
        for (int i = 0; i < 10_000; i++) {
            random = WeightedRandomChooser.mix(random);
            picks[0] += policy.pick(equal, random);
            picks[1] += policy.pick(spared, random);
            picks[2] += policy.pick(others, random);
        }
        assertThat(picks[0]).isEqualTo(10_000);
        assertThat(picks[1]).isBetween(2_200, 2_800);
        assertThat(picks[2]).isBetween(7_200, 7_800);
    }

    @Test
    void lowWaterIsTheSmallestUnfinishedSequence() {
        RequestTracker tracker = new RequestTracker(() -> 1);
        RequestTracker.Ticket first = tracker.nextRequest().orElseThrow();
        RequestTracker.Ticket second = tracker.nextRequest().orElseThrow();
        assertThat(second.lowWater()).isEqualTo(first.id().sequence());
        first.finish();
        first.finish();
        assertThat(second.lowWater()).isEqualTo(second.id().sequence());
        second.finish();
        assertThat(second.lowWater()).isEqualTo(second.id().sequence() + 1);
    }

    @Test
    void oneSlowUpdateOpensANewLaneAndLanesAreBounded() {
        long[] next = {0};
        RequestTracker tracker = new RequestTracker(() -> ++next[0]);
        RequestTracker.Ticket slow = tracker.nextRequest().orElseThrow();
        for (int i = 0; i < Limits.REQUESTS_PER_CLIENT_MAX; i++) {
            RequestTracker.Ticket ticket = tracker.nextRequest().orElseThrow();
            assertThat(ticket.id().sequence() - ticket.lowWater()).isLessThan(RequestTracker.WINDOW);
            ticket.finish();
        }
        List<RequestTracker.Ticket> open = new ArrayList<>();
        while (true) {
            var ticket = tracker.nextRequest();
            if (ticket.isEmpty()) {
                break;
            }
            open.add(ticket.get());
        }
        assertThat(open.size()).isBetween(14 * RequestTracker.WINDOW, 16 * RequestTracker.WINDOW);
        slow.finish();
        assertThat(tracker.nextRequest()).isPresent();
    }

    @Test
    void floorsAreTheSameOnTheServerThatPlans() {
        SessionWatermarks floors = new SessionWatermarks();
        floors.raise(1, 2, 3, 10);
        floors.raise(1, 0, 1, 5);
        floors.raise(9, 0, 1, 7);
        QueryRequest request = new QueryRequest(new TableName("t"), "q", 1, 1, floors.toRequest(1));
        assertThat(request.floors()).containsExactly(new QueryRequest.Floor(0, 1, 5), new QueryRequest.Floor(2, 3, 10));
        SessionWatermarks there = SessionWatermarks.of(request);
        for (int actor = 0; actor < 6; actor++) {
            assertThat(there.watermark(1, actor(actor, 3, 1))).isEqualTo(floors.watermark(1, actor(actor, 3, 1)));
        }
        assertThat(there.watermark(9, actor(0, 1, 1))).isZero();
        assertThat(floors.toRequest(8)).isEmpty();
        assertThat(SessionWatermarks.of(new QueryRequest(new TableName("t"), "q", 1))
                        .toRequest(0))
                .isEmpty();
    }

    @Test
    void floorsOnlyRiseUntilATakeoverFromDurableStorage() {
        SessionWatermarks floors = new SessionWatermarks();
        floors.raise(1, 2, 1, 10);
        floors.raise(1, 2, 1, 7);
        assertThat(floors.watermark(1, actor(2, 1, 1))).isEqualTo(10);
        assertThat(floors.watermark(1, actor(3, 1, 1))).isZero();
        assertThat(floors.watermark(2, actor(2, 1, 1))).isZero();
        ActorState restored =
                new ActorState(2, 5, server(1), List.of(server(1)), List.of(), List.of(), List.of(), Map.of(), 5);
        assertThat(floors.watermark(1, restored)).isZero();
        floors.raise(1, 2, 5, 3);
        assertThat(floors.watermark(1, restored)).isEqualTo(3);
    }

    @Test
    void oneActorsRowsMustFitInOneMessage() {
        Assertions.assertThatThrownBy(
                        () -> new Update.ActorBatch(0, Limits.BATCH_ROWS_MAX + 1, io.uniserve.codec.Bytes.EMPTY))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }
}
