package io.uniserve.server.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.UserLimits;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.serial.CoarseTimers;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.server.ConsistentSnapshotHandler;
import io.uniserve.runtime.transport.server.ReadHandler;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import io.uniserve.server.read.OutOfMemoryPolicy;
import io.uniserve.server.read.worker.CancellationScope;
import io.uniserve.server.read.worker.RunningQueryRegistry;
import io.uniserve.server.read.worker.UserMemoryBudget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Planning on a server, with reads that the test answers. */
class QueryServiceTest {
    private static final long SECOND = 1_000_000_000L;
    private static final TableName TABLE = new TableName("t");
    private static final ServerId SERVER = new ServerId("s");
    private static final Address SELF = new Address("127.0.0.1", 1);
    private static final RetrieveCall<String, String> ECHO = new RetrieveCall<>("echo@1", Codecs.STRING, Codecs.STRING);

    private final AtomicReference<Throwable> fatal = new AtomicReference<>();
    private final ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN);
    private final RoutingBroadcaster hub = new RoutingBroadcaster();
    private final AtomicInteger cancelledReads = new AtomicInteger();
    private ReadHandler reads = this::echo;
    private Function<PlanContext, String> plan =
            context -> context.retrieve(TABLE, ECHO, "x", values -> String.join(",", values));

    private final List<String> texts = new CopyOnWriteArrayList<>();
    private Optional<String> ownWord = Optional.empty();

    private final CoarseTimers stops = new CoarseTimers("stops", SystemClock.INSTANCE);
    private volatile UserLimits limits = UserLimits.NONE;
    private volatile long rows = Answer.ROWS_UNKNOWN;
    private final UserMemoryBudget memory = new UserMemoryBudget(user -> limits);
    private final QueryService service = new QueryService(
            new ServerSettings.Work(1, 1, 1, 1, 1, Duration.ZERO, 1 << 20, 1 << 20, Duration.ofHours(1), true),
            SystemClock.INSTANCE,
            new RandomIdGenerator(),
            new PlannerTransport(
                    SERVER, SELF, lending(), ConsistentSnapshotHandler.NONE, channels, ClusterIdentity.of("c")),
            hub,
            done -> done.done(Outcome.ok(hub.latest().orElseThrow())),
            planners(),
            new OutOfMemoryPolicy(fatal::set),
            () -> new CancellationScope(stops),
            new RunningQueryRegistry(SystemClock.INSTANCE, 1),
            memory);

    QueryServiceTest() {
        ServerId server = SERVER;
        TableMeta meta = new TableMeta(
                TABLE, 1, new Partitioner.Hash(1), "id", ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "kv", Map.of());
        ActorState actor =
                new ActorState(0, 1, server, List.of(server), List.of(), List.of(), List.of(server), Map.of(), 0);
        hub.publish(new Routing(
                "c",
                List.of(new Routing.TableRoute(meta, new TableMap(TABLE, 1, List.of(actor)), 0)),
                List.of(new ServerRecord(server, 1, SELF, "z", new Capacity(1, 1, 1), List.of())),
                null));
        await().until(() -> hub.watchers() == 1);
    }

    @AfterEach
    void close() {
        service.close();
        stops.close();
        channels.close();
        assertThat(fatal.get()).isNull();
    }

    /** Runs reads on the caller's thread if one is provided, as the read service does. */
    private ReadHandler lending() {
        return new ReadHandler() {
            @Override
            public Timers.Cancel read(ReadRequest request, Completion<ReadReply> done) {
                return reads.read(request, done);
            }

            @Override
            public Timers.Cancel read(ReadRequest request, Completion<ReadReply> done, Executor lent) {
                AtomicReference<Timers.Cancel> begun = new AtomicReference<>(() -> {});
                lent.execute(() -> begun.set(reads.read(request, done)));
                return () -> Objects.requireNonNull(begun.get()).cancel();
            }
        };
    }

    /** The test plans queries of table {@code t}, and explains them if it has a text for that. */
    private PortPlanners planners() {
        return new PortPlanners() {
            @Override
            public Answer answer(String port, QueryText query, PlanContext context) {
                texts.add(query.text());
                return new Answer("text/plain", Bytes.utf8(plan.apply(context))).withRows(rows);
            }

            @Override
            public Optional<String> explainQuery(String port, String text) {
                return ownWord.map(word -> word + text);
            }
        };
    }

    private Timers.Cancel echo(ReadRequest request, Completion<ReadReply> done) {
        done.done(
                Outcome.ok(new ReadReply(List.of(new ReadReply.Part(List.of(0), request.parameters())), List.of(), 1)));
        return () -> {};
    }

    private CompletableFuture<Outcome<Answer>> start(String table, long nanos) {
        CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
        Timers.Cancel unused = service.query(new QueryRequest(new TableName(table), "q", nanos), future::complete);
        return future;
    }

    private Optional<ErrorCode> code(Outcome<Answer> outcome) {
        return outcome instanceof Outcome.Err<Answer> failed
                ? Optional.of(failed.error().code())
                : Optional.empty();
    }

    @Test
    void answersAndTellsTheEffort() {
        Outcome<Answer> outcome = start("t", 10 * SECOND).join();
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Ok.class, ok -> {
            Answer answer = (Answer) ok.value();
            assertThat(answer.body().utf8()).isEqualTo("x");
            assertThat(answer.effort().requests()).isEqualTo(1);
        });
    }

    private Outcome<Answer> asAnn(long nanos) {
        CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
        Timers.Cancel unused =
                service.onBehalfOf("ann", table -> true).query(new QueryRequest(TABLE, "q", nanos), future::complete);
        return future.join();
    }

    private void limit(LimitKind kind, long value) {
        limits = UserLimits.of(List.of(Role.READER), List.of(new RoleLimit(Role.READER, kind, value)));
    }

    @Test
    void rowsOfAUsersAnswerAreLimited() {
        limit(LimitKind.ANSWER_ROWS, 2);
        assertThat(asAnn(10 * SECOND).error())
                .hasMessageContaining("answer-rows = 2 of role reader")
                .hasMessageContaining("does not count");
        rows = 3;
        UniserveException refused = asAnn(10 * SECOND).error();
        assertThat(refused.code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(refused)
                .hasMessageContaining("user ann is over its limit answer-rows = 2")
                .hasMessageContaining("3 rows");
        rows = 2;
        assertThat(code(asAnn(10 * SECOND))).isEmpty();
        limits = UserLimits.NONE;
        rows = Answer.ROWS_UNKNOWN;
        assertThat(code(asAnn(10 * SECOND))).isEmpty();
    }

    @Test
    void resultsOfAUsersQueryCountUntilTheyAreCombined() {
        limit(LimitKind.RESULT_BYTES, 20);
        plan = context -> {
            String all = "";
            for (int round = 0; round < 3; round++) {
                all += context.retrieve(TABLE, ECHO, "0123456789", values -> values + " " + memory.used("ann"));
            }
            return all + memory.used("ann");
        };
        assertThat(((Outcome.Ok<Answer>) asAnn(10 * SECOND)).value().body().utf8())
                .isEqualTo("[0123456789] 14[0123456789] 14[0123456789] 140");
        limit(LimitKind.RESULT_BYTES, 13);
        UniserveException refused = asAnn(10 * SECOND).error();
        assertThat(refused.code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(refused).hasMessageContaining("result-bytes = 13 of role reader");
        assertThat(memory.used("ann")).isZero();
        assertThat(memory.used("")).as("work without a user").isZero();
    }

    @Test
    void aUsersQueryEndsAtItsLimitAndNamesIt() {
        limit(LimitKind.DEADLINE_MS, 50);
        reads = (request, done) -> () -> {};
        UniserveException refused = asAnn(100 * SECOND).error();
        assertThat(refused.code()).isEqualTo(ErrorCode.QUERY_KILLED);
        assertThat(refused).hasMessageContaining("longer than the limit deadline-ms = 50 of role reader of user ann");
        assertThat(code(asAnn(1_000_000))).as("the caller's own").contains(ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void readsAskForWhatTheCallerWrote() {
        List<Long> floors = new CopyOnWriteArrayList<>();
        reads = (request, done) -> {
            request.targets().forEach(target -> floors.add(target.floorIndex()));
            return echo(request, done);
        };
        for (long tableId : List.of(1L, 2L)) {
            CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
            Timers.Cancel unused = service.query(
                    new QueryRequest(TABLE, "q", 10 * SECOND, tableId, List.of(new QueryRequest.Floor(0, 1, 42))),
                    future::complete);
            assertThat(code(future.join())).isEmpty();
        }
        assertThat(code(start("t", 10 * SECOND).join())).isEmpty();
        assertThat(floors)
                .as("floors of this table, of a dropped one, of another caller")
                .containsExactly(42L, 0L, 0L);
    }

    @Test
    void asksTheActorsThatTheCallerChose() {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        reads = (request, done) -> {
            request.targets().forEach(target -> asked.add(target.actor()));
            return echo(request, done);
        };
        assertThat(code(chosen(0))).isEmpty();
        assertThat(code(chosen(5))).contains(ErrorCode.INVALID_ARGUMENT);
        assertThat(asked).containsExactly(0);
    }

    private Outcome<Answer> chosen(int actor) {
        CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
        Timers.Cancel unused = service.query(
                new QueryRequest(TABLE, "q", List.of(actor), Optional.empty(), 10 * SECOND, 1, List.of()),
                future::complete);
        return future.join();
    }

    @Test
    void plannersAskActorsWithParametersOfTheirOwn() {
        RetrieveCall<PerActorParameters<String>, String> call =
                new RetrieveCall<>("echo@1", PerActorParameters.codec(Codecs.STRING), Codecs.STRING);
        plan = context -> context.actors(TABLE) + " " + context.retrieveEach(TABLE, call, Map.of(0, "own"));
        reads = (request, done) -> {
            String own = call.parameters().decode(request.parameters()).forActor(0);
            Bytes value = Codecs.STRING.encode(own);
            done.done(Outcome.ok(new ReadReply(List.of(new ReadReply.Part(List.of(0), value)), List.of(), 1)));
            return () -> {};
        };
        assertThat(start("t", 10 * SECOND).join())
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((Answer) ok.value()).body().utf8()).isEqualTo("[0] {0=own}"));
    }

    @Test
    void severalReadsOfAPlanRunAtTheSameTime() {
        plan = context -> context.retrieveAll(
                        ECHO,
                        List.of(
                                new PlanContext.RetrieveRequest<>(TABLE, Set.of(0), "x"),
                                new PlanContext.RetrieveRequest<>(TABLE, Set.of(0), "y")),
                        values -> String.join(",", values))
                .toString();
        List<Runnable> waiting = new CopyOnWriteArrayList<>();
        reads = (request, done) -> {
            waiting.add(() -> {
                Timers.Cancel unused = echo(request, done);
            });
            if (waiting.size() == 2) {
                waiting.get(1).run();
                waiting.get(0).run();
            }
            return () -> {};
        };
        assertThat(start("t", 10 * SECOND).join())
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((Answer) ok.value()).body().utf8()).isEqualTo("[x, y]"));
        waiting.clear();
        reads = (request, done) -> {
            waiting.add(() -> done.done(Outcome.ok(
                    new ReadReply(List.of(), List.of(new ActorFailure(0, ErrorCode.INVALID_ARGUMENT, "no", 1)), 1))));
            return cancelledReads::incrementAndGet;
        };
        CompletableFuture<Outcome<Answer>> failing = start("t", 10 * SECOND);
        await().until(() -> waiting.size() == 2);
        waiting.get(1).run();
        assertThat(code(failing.join())).contains(ErrorCode.INVALID_ARGUMENT);
        await().until(() -> cancelledReads.get() > 0);
    }

    @Test
    void aPlanThatLosesTheStateItSawRunsAgainButNotForEver() {
        AtomicInteger plans = new AtomicInteger();
        AtomicInteger lost = new AtomicInteger(2);
        plan = context -> {
            plans.incrementAndGet();
            context.useRepeatableReads();
            return context.retrieve(TABLE, ECHO, "x", values -> String.join(",", values));
        };
        List<Long> sessions = new CopyOnWriteArrayList<>();
        List<Boolean> held = new CopyOnWriteArrayList<>();
        reads = (request, done) -> {
            if (request.operator().equals(ReadRequest.RELEASE)) {
                return () -> {};
            }
            held.add(!request.session().orElseThrow().currentOnly());
            sessions.add(request.session().orElseThrow().low());
            if (lost.getAndDecrement() > 0) {
                ActorFailure gone = new ActorFailure(0, ErrorCode.VERSION_GONE, "gone", 1);
                done.done(Outcome.ok(new ReadReply(List.of(), List.of(gone), 1)));
            } else {
                ReadReply.Part part = new ReadReply.Part(List.of(0), request.parameters(), List.of(9L));
                done.done(Outcome.ok(new ReadReply(List.of(part), List.of(), 1)));
            }
            return () -> {};
        };
        assertThat(code(start("t", 10 * SECOND).join())).isEmpty();
        assertThat(plans.get()).isEqualTo(3);
        assertThat(sessions).as("each plan has a session of its own").hasSize(3).doesNotHaveDuplicates();
        assertThat(held).as("at first nothing is held").containsExactly(false, true, true);
        lost.set(100);
        assertThat(code(start("t", 10 * SECOND).join())).contains(ErrorCode.VERSION_GONE);
        assertThat(plans.get()).isEqualTo(3 + 1 + Limits.SESSION_RESTARTS_MAX);
    }

    private String steps(Optional<QueryRequest.Session> session) {
        CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
        Timers.Cancel unused = service.query(
                new QueryRequest(
                        TABLE, "q", List.of(), session, 10 * SECOND, 1, List.of(), ReadMode.LINEARIZABLE, true),
                future::complete);
        assertThat(future.join()).isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<Answer>) future.join()).value().body().utf8();
    }

    @Test
    void theRoundsOfAPlanAreToldInPlaceOfItsAnswer() {
        plan = context -> context.retrieve(TABLE, ECHO, "four", values -> String.join(",", values))
                + context.retrieveAll(
                        ECHO,
                        List.of(
                                new PlanContext.RetrieveRequest<>(TABLE, Set.of(0), "x"),
                                new PlanContext.RetrieveRequest<>(TABLE, Set.of(0), "yy")),
                        values -> String.join(",", values));
        String all = "retrieve echo@1 at 1 actor of t, one of 2 at the same time; ";
        assertThat(steps(Optional.empty()).lines().map(line -> line.replaceAll("[0-9.]+ ms", "- ms")))
                .containsExactly(
                        "retrieve echo@1 at 1 actor of t; 8 bytes read of 1 server (s); - ms",
                        all + "5 bytes read of 1 server (s); - ms",
                        all + "6 bytes read of 1 server (s); - ms",
                        "answer: 11 bytes of text/plain, on server s; - ms");
        assertThat(texts).containsExactly("q");
    }

    @Test
    void aPlannerWhoseLanguageExplainsIsAskedToDoIt() {
        ownWord = Optional.of("EXPLAIN ");
        assertThat(steps(Optional.empty())).isEqualTo("x");
        assertThat(texts).containsExactly("EXPLAIN q");
        assertThat(code(start("t", 10 * SECOND).join())).isEmpty();
        assertThat(texts).as("what is not to be explained").endsWith("q");
    }

    @Test
    void stepsOfASessionAndOfAPlanThatBeganAnewAreToldToo() {
        AtomicInteger lost = new AtomicInteger(1);
        plan = context -> {
            context.useRepeatableReads();
            return context.retrieve(TABLE, ECHO, "x", values -> String.join(",", values));
        };
        reads = (request, done) -> {
            if (request.operator().equals(ReadRequest.RELEASE)) {
                return () -> {};
            }
            ActorFailure gone = new ActorFailure(0, ErrorCode.VERSION_GONE, "gone", 1);
            ReadReply.Part part = new ReadReply.Part(List.of(0), request.parameters(), List.of(9L));
            done.done(Outcome.ok(
                    lost.getAndDecrement() > 0
                            ? new ReadReply(List.of(), List.of(gone), 1)
                            : new ReadReply(List.of(part), List.of(), 1)));
            return () -> {};
        };
        assertThat(steps(Optional.empty()).lines())
                .hasSize(3)
                .startsWith("restarted: the states of its rounds were gone")
                .anyMatch(line -> line.startsWith("retrieve echo@1 at 1 actor of t; 5 bytes read of 1 server (s); "));
        assertThat(steps(Optional.of(new QueryRequest.Session(1, 2, 10 * SECOND, List.of())))
                        .lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("retrieve echo@1 at 1 actor of t; "));
    }

    @Test
    void roundsOfAQueryAreOneRequestEachWhileNoUpdatesRun() {
        plan = context -> {
            context.useRepeatableReads();
            String found = context.retrieve(TABLE, ECHO, "x", values -> String.join(",", values));
            return found + context.retrieve(TABLE, ECHO, "y", values -> String.join(",", values));
        };
        List<String> asked = new CopyOnWriteArrayList<>();
        reads = (request, done) -> {
            asked.add(request.operator() + " " + request.targets().get(0).version());
            ReadReply.Part part = new ReadReply.Part(List.of(0), request.parameters(), List.of(9L));
            done.done(Outcome.ok(new ReadReply(List.of(part), List.of(), 1)));
            return () -> {};
        };
        assertThat(start("t", 10 * SECOND).join())
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((Answer) ok.value()).body().utf8()).isEqualTo("xy"));
        assertThat(asked).containsExactly("echo@1 0", "echo@1 9");
    }

    @Test
    void afterAnUpdateBetweenTheRoundsOtherQueriesHaveTheirStatesHeldForAWhile() {
        AtomicInteger reading = new AtomicInteger();
        plan = context -> {
            context.useRepeatableReads();
            context.retrieve(TABLE, ECHO, "x", values -> String.join(",", values));
            return context.retrieve(TABLE, ECHO, "y", values -> String.join(",", values));
        };
        List<String> asked = new CopyOnWriteArrayList<>();
        reads = (request, done) -> {
            boolean held = !request.session().orElseThrow().currentOnly();
            asked.add(request.operator() + (held ? " held" : " present"));
            boolean gone = !held && request.targets().get(0).version() != 0;
            long version = reading.incrementAndGet();
            done.done(Outcome.ok(
                    gone
                            ? new ReadReply(
                                    List.of(), List.of(new ActorFailure(0, ErrorCode.VERSION_GONE, "gone", 1)), 1)
                            : new ReadReply(
                                    List.of(new ReadReply.Part(List.of(0), request.parameters(), List.of(version))),
                                    List.of(),
                                    1)));
            return () -> {};
        };
        assertThat(code(start("t", 10 * SECOND).join())).isEmpty();
        assertThat(asked).startsWith("echo@1 present", "echo@1 present", "echo@1 held", "echo@1 held");
        await().until(() -> asked.contains(ReadRequest.RELEASE + " held"));
        asked.clear();
        await().until(() -> {
            assertThat(code(start("t", 10 * SECOND).join())).isEmpty();
            return asked.contains("echo@1 present");
        });
    }

    @Test
    void aSessionIsOfOneTable() {
        plan = context -> context.retrieve(new TableName("u"), ECHO, "x", values -> String.join(",", values));
        QueryRequest.Session session = new QueryRequest.Session(1, 2, 10 * SECOND, List.of());
        CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
        Timers.Cancel unused = service.query(
                new QueryRequest(TABLE, "q", List.of(), Optional.of(session), 10 * SECOND, 1, List.of()),
                future::complete);
        assertThat(code(future.join())).contains(ErrorCode.UNSUPPORTED);
        assertThat(code(start("t", 10 * SECOND).join())).contains(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void namesATableThatIsNotThere() {
        assertThat(code(start("other", 10 * SECOND).join())).contains(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void blamesThePortForItsFailures() {
        plan = context -> {
            throw new IllegalStateException("bug");
        };
        Outcome<Answer> failed = start("t", 10 * SECOND).join();
        assertThat(code(failed)).contains(ErrorCode.PORT_FAILED);
        assertThat(((Outcome.Err<Answer>) failed).error().reason())
                .isEqualTo("planning of the query failed with java.lang.IllegalStateException: bug");
        plan = context -> {
            throw new StackOverflowError();
        };
        assertThat(code(start("t", 10 * SECOND).join())).contains(ErrorCode.PORT_FAILED);
        plan = context -> "x".repeat(Limits.RESULT_BYTES_PER_REPLY_MAX + 1);
        assertThat(code(start("t", 10 * SECOND).join())).contains(ErrorCode.TOO_LARGE);
    }

    @Test
    void endsAtTheDeadline() {
        reads = (request, done) -> cancelledReads::incrementAndGet;
        assertThat(code(start("t", SECOND / 10).join())).contains(ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void endsWhenTheCallerHasGone() {
        CountDownLatch asked = new CountDownLatch(1);
        reads = (request, done) -> {
            asked.countDown();
            return cancelledReads::incrementAndGet;
        };
        CompletableFuture<Outcome<Answer>> future = new CompletableFuture<>();
        Timers.Cancel cancel = service.query(new QueryRequest(TABLE, "q", 30 * SECOND), future::complete);
        await().until(() -> asked.getCount() == 0);
        cancel.cancel();
        assertThat(code(future.join())).contains(ErrorCode.CANCELLED);
        await().until(() -> cancelledReads.get() > 0);
    }

    @Test
    void shedsQueriesWhenTheQueueIsFull() {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch planning = new CountDownLatch(1);
        plan = context -> {
            planning.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "done";
        };
        CompletableFuture<Outcome<Answer>> running = start("t", 30 * SECOND);
        await().until(() -> planning.getCount() == 0);
        CompletableFuture<Outcome<Answer>> waiting = start("t", 30 * SECOND);
        assertThat(code(start("t", 30 * SECOND).join())).contains(ErrorCode.RESOURCE_EXHAUSTED);
        release.countDown();
        assertThat(running.join()).isInstanceOf(Outcome.Ok.class);
        assertThat(waiting.join()).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void aPlannerThatHangsIsMadeUpFor() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger plans = new AtomicInteger();
        plan = context -> {
            if (plans.incrementAndGet() == 1) {
                await().forever().until(() -> release.getCount() == 0);
            }
            return "done";
        };
        CompletableFuture<Outcome<Answer>> hung = start("t", SECOND / 2);
        await().until(() -> plans.get() == 1);
        // The only thread is in a call after its deadline; other queries are still answered, after a delay.
        await().until(() -> {
            CompletableFuture<Outcome<Answer>> unused = start("t", 30 * SECOND);
            return plans.get() > 1;
        });
        release.countDown();
        assertThat(hung.join()).isInstanceOf(Outcome.Ok.class);
    }
}
