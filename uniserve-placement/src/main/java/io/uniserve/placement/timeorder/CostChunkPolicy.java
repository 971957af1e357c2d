package io.uniserve.placement.timeorder;

import io.uniserve.model.ServerId;
import io.uniserve.placement.ChunkPolicy;
import io.uniserve.placement.timeorder.FutureLoadModel.Observation;
import io.uniserve.placement.timeorder.ServerSelector.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Placement of a new chunk on the servers of least cost. Each replica raises the cost of its server before the next one is placed. An
 * actor's replicas go to different zones if possible. Of servers with equal costs the first by id is chosen.
 *
 * <p>The predicted load of an actor is its rows times the integral of the table's model from its age to its expiry. A table with fewer than
 * three different ages, or with ages close together, has the model of all tables; without any observation the load of a row is constant. Costs are divided by the strength
 * of the server.
 */
final class CostChunkPolicy implements ChunkPolicy {
    private static final double MILLIS_PER_HOUR = 3_600_000;
    private static final double SECONDS_PER_HOUR = 3_600;

    /** Age below which a model is not used, as a part of the chunk's length: rows still arrive, and a power law has no limit at 0. */
    private static final double AGE_FLOOR = 0.1;

    /** Remaining life of a chunk that never expires. */
    private static final double LIFE_MAX_HOURS = 365 * 24;

    /** Model without observations: each row has the same load at any age. */
    private static final FutureLoadModel CONSTANT = new FutureLoadModel(1, 0, 1, 0, -1);

    private final ServerSelector selector;
    private final String unit;
    private final boolean predicts;

    /** @param predicts true if costs are predicted loads */
    CostChunkPolicy(ServerSelector selector, String unit, boolean predicts) {
        this.selector = selector;
        this.unit = unit;
        this.predicts = predicts;
    }

    @Override
    public Decision place(Input input) {
        return new Placing(input).decide();
    }

    /** Model with the origin of its observations. */
    private record Fit(FutureLoadModel model, List<Observation> seen, String source) {}

    private final class Placing {
        private final Input input;
        private final TreeMap<Long, List<Observation>> observations = new TreeMap<>();
        private final TreeMap<Long, Fit> fits = new TreeMap<>();
        private final TreeMap<ServerId, List<Chunk>> held = new TreeMap<>();
        private final Fit pooled;

        Placing(Input input) {
            this.input = input;
            List<Observation> all = new ArrayList<>();
            for (HeldActor actor : input.held()) {
                if (actor.hasTime() && actor.rows() > 0) {
                    Observation one = observation(actor);
                    all.add(one);
                    observations
                            .computeIfAbsent(actor.tableId(), any -> new ArrayList<>())
                            .add(one);
                }
            }
            FutureLoadModel common = FutureLoadModel.fit(all, CONSTANT);
            pooled = new Fit(common, all, FutureLoadModel.canFit(all) ? "all tables" : "default");
            input.servers().forEach(server -> held.put(server.id(), new ArrayList<>()));
            for (HeldActor actor : input.held()) {
                double future = predicts ? future(actor) : 0;
                Chunk chunk = new Chunk(
                        (int) actor.tableId(),
                        order(actor.start()),
                        future / Math.max(1, actor.hosts().size()));
                actor.hosts().stream().map(held::get).filter(Objects::nonNull).forEach(list -> list.add(chunk));
            }
        }

        private Observation observation(HeldActor actor) {
            double perScanned =
                    actor.scannedPerSecond() > 0 ? actor.cpuMillisPerSecond() / actor.scannedPerSecond() : 0;
            return new Observation(
                    age(actor.start(), actor.end()), perScanned, actor.scannedPerSecond() / actor.rows());
        }

        /** Age in hours since the start of the chunk, not below a part of its length. */
        private double age(long start, long end) {
            double floor = AGE_FLOOR * (end - start) / MILLIS_PER_HOUR;
            return Math.max(floor, (input.now() - start) / MILLIS_PER_HOUR);
        }

        /** Age in hours at which the chunk expires. */
        private double expiryAge(long start, long end, long expiry) {
            double most = age(start, end) + LIFE_MAX_HOURS;
            return expiry == Long.MAX_VALUE ? most : Math.min(most, (expiry - start) / MILLIS_PER_HOUR);
        }

        /** Position in time, in lengths of the new chunk. */
        private double order(long start) {
            return (double) (start - input.chunk().start())
                    / Math.max(1, input.chunk().end() - input.chunk().start());
        }

        private Fit fit(long tableId) {
            return fits.computeIfAbsent(tableId, id -> {
                List<Observation> seen = observations.getOrDefault(id, List.of());
                return FutureLoadModel.canFit(seen)
                        ? new Fit(FutureLoadModel.fit(seen, pooled.model()), seen, "table")
                        : pooled;
            });
        }

        /** Predicted CPU milliseconds for the rest of the actor's life; for an actor without time, over the life of the new chunk. */
        private double future(HeldActor actor) {
            if (!actor.hasTime()) {
                NewChunk chunk = input.chunk();
                double hours = expiryAge(chunk.start(), chunk.end(), chunk.expiry()) - age(chunk.start(), chunk.end());
                return actor.cpuMillisPerSecond() * SECONDS_PER_HOUR * Math.max(0, hours);
            }
            double rows = actor.rows() > 0 ? actor.rows() : 1;
            return fit(actor.tableId())
                            .model()
                            .predict(
                                    rows,
                                    age(actor.start(), actor.end()),
                                    expiryAge(actor.start(), actor.end(), actor.expiry()))
                    * SECONDS_PER_HOUR;
        }

        /** Rows of a new actor: the median of the table's actors, 1 without any. */
        private double expectedRows() {
            double[] rows = input.held().stream()
                    .filter(actor -> actor.tableId() == input.chunk().tableId() && actor.rows() > 0)
                    .mapToDouble(HeldActor::rows)
                    .sorted()
                    .toArray();
            return rows.length == 0 ? 1 : rows[rows.length / 2];
        }

        Decision decide() {
            NewChunk chunk = input.chunk();
            HeldActor fresh = new HeldActor(
                    chunk.tableId(), chunk.start(), chunk.end(), chunk.expiry(), expectedRows(), List.of(), 0, 0);
            double predicted = predicts ? future(fresh) : 0;
            Chunk added =
                    new Chunk((int) chunk.tableId(), order(chunk.start()), predicted / Math.max(1, chunk.replicas()));
            List<ServerCost> costs = input.servers().stream()
                    .map(server -> new ServerCost(server.id(), cost(added, server)))
                    .toList();
            List<List<ServerId>> places = new ArrayList<>();
            for (int bucket = 0; bucket < chunk.buckets(); bucket++) {
                places.add(placeActor(added));
            }
            return new Decision(places, costs, unit, predicts ? Optional.of(model()) : Optional.empty(), predicted);
        }

        private AgeModel model() {
            Fit fit = fit(input.chunk().tableId());
            List<Observation> usable = FutureLoadModel.usable(fit.seen());
            FutureLoadModel model = fit.model();
            return new AgeModel(
                    model.a(),
                    model.alpha(),
                    model.b(),
                    model.c(),
                    model.beta(),
                    fit.source().equals("default") ? Double.NaN : model.error(usable),
                    usable.size(),
                    FutureLoadModel.ages(usable),
                    fit.source());
        }

        private double cost(Chunk added, Server server) {
            return selector.cost(added, held.getOrDefault(server.id(), List.of())) / server.weight();
        }

        private List<ServerId> placeActor(Chunk added) {
            List<ServerId> chosen = new ArrayList<>();
            TreeSet<String> zones = new TreeSet<>();
            while (chosen.size() < input.chunk().replicas()) {
                Optional<Server> next = least(added, chosen, zones).or(() -> least(added, chosen, Set.of()));
                if (next.isEmpty()) {
                    break;
                }
                Server server = next.get();
                chosen.add(server.id());
                zones.add(server.zone());
                held.computeIfAbsent(server.id(), any -> new ArrayList<>()).add(added);
            }
            return chosen;
        }

        private Optional<Server> least(Chunk added, List<ServerId> without, Set<String> zones) {
            Server best = null;
            double least = Double.POSITIVE_INFINITY;
            for (Server server : input.servers()) {
                double cost = cost(added, server);
                boolean possible = !without.contains(server.id()) && !zones.contains(server.zone());
                if (possible && (best == null || Double.compare(cost, least) < 0)) {
                    least = cost;
                    best = server;
                }
            }
            return Optional.ofNullable(best);
        }
    }
}
