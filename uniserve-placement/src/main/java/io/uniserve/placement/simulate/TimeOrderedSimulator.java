package io.uniserve.placement.simulate;

import io.uniserve.placement.simulate.TimeOrderedScenario.Table;
import io.uniserve.placement.timeorder.FutureLoadModel;
import io.uniserve.placement.timeorder.FutureLoadModel.Observation;
import io.uniserve.placement.timeorder.ServerSelector;
import io.uniserve.placement.timeorder.ServerSelector.Chunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Simulator in steps of an hour: chunks arrive, a selector places each on one server permanently, load falls with age, chunks expire. A
 * model of a table's load is fitted each day from noisy observations of its chunks. The same seed gives the same chunks for every selector.
 */
public final class TimeOrderedSimulator {
    private static final int FIRST_SERVERS = 10;
    private static final int REFIT_HOURS = 24;
    private static final int SEEN_MAX = 2_000;
    private static final double NOISE = 0.2;
    private static final FutureLoadModel POOLED = new FutureLoadModel(1, 0, 0.05, 1, -0.8);

    /**
     * Load of the busiest server relative to the mean.
     *
     * @param mean over the hours of the second half
     * @param p99 99th percentile of those hours
     */
    public record Outcome(double mean, double p99) {}

    private record StoredChunk(int table, double createdAt, double rows, double expiry) {}

    private final TimeOrderedScenario scenario;
    private final ServerSelector serverSelector;
    private final SplittableRandom random;
    private final List<List<StoredChunk>> servers = new ArrayList<>();
    private final List<List<Observation>> observations = new ArrayList<>();
    private final FutureLoadModel[] models;

    /** Prepares a run. */
    public TimeOrderedSimulator(TimeOrderedScenario scenario, ServerSelector serverSelector, long seed) {
        this.scenario = scenario;
        this.serverSelector = serverSelector;
        random = new SplittableRandom(seed);
        grow(FIRST_SERVERS);
        models = new FutureLoadModel[scenario.tables.size()];
        Arrays.fill(models, POOLED);
        scenario.tables.forEach(table -> observations.add(new ArrayList<>()));
    }

    private void grow(int more) {
        for (int n = 0; n < more; n++) {
            servers.add(new ArrayList<>());
        }
    }

    /** Runs this many hours. */
    public Outcome run(int hours) {
        double[] busiest = new double[hours - hours / 2];
        for (int hour = 0; hour < hours; hour++) {
            if (hour == scenario.joinHour) {
                grow(scenario.joining);
            }
            double now = hour;
            servers.forEach(held -> held.removeIf(one -> one.expiry() <= now));
            for (int t = 0; t < models.length; t++) {
                Table table = scenario.tables.get(t);
                for (int n = 0; hour % table.every() == 0 && n < table.chunks(); n++) {
                    placeChunks(t, table, now);
                }
            }
            double load = measure(now + 0.5);
            if (hour >= hours / 2) {
                busiest[hour - hours / 2] = load;
            }
            if (hour % REFIT_HOURS == REFIT_HOURS - 1) {
                for (int t = 0; t < models.length; t++) {
                    models[t] = FutureLoadModel.fit(observations.get(t), POOLED);
                }
            }
        }
        Arrays.sort(busiest);
        return new Outcome(Arrays.stream(busiest).average().orElse(0), busiest[(int) (busiest.length * 0.99)]);
    }

    private void placeChunks(int t, Table table, double now) {
        double rows = table.rows() * Math.exp(NOISE * gaussian());
        StoredChunk fresh = new StoredChunk(t, now, rows, now + table.retention());
        List<List<Chunk>> views = servers.stream()
                .map(held -> held.stream().map(one -> view(one, now)).toList())
                .toList();
        servers.get(serverSelector.choose(view(fresh, now), views)).add(fresh);
    }

    private Chunk view(StoredChunk one, double now) {
        double future = models[one.table()].predict(one.rows(), now - one.createdAt(), one.expiry() - one.createdAt());
        return new Chunk(one.table(), one.createdAt(), future);
    }

    /** Returns the busiest server's load relative to the mean. Observations are stored for the next fit. */
    private double measure(double now) {
        double sum = 0;
        double most = 0;
        for (List<StoredChunk> held : servers) {
            double load = 0;
            for (StoredChunk one : held) {
                FutureLoadModel truth = scenario.tables.get(one.table()).load();
                double age = now - one.createdAt();
                double cpu = truth.a() * Math.pow(age, truth.alpha()) * Math.exp(NOISE * gaussian());
                double scanned = (truth.b() + truth.c() * Math.pow(age, truth.beta())) * Math.exp(NOISE * gaussian());
                load += one.rows() * cpu * scanned;
                List<Observation> kept = observations.get(one.table());
                Observation last = new Observation(age, cpu, scanned);
                if (kept.size() < SEEN_MAX) {
                    kept.add(last);
                } else {
                    kept.set(random.nextInt(SEEN_MAX), last);
                }
            }
            sum += load;
            most = Math.max(most, load);
        }
        return sum > 0 ? most * servers.size() / sum : 1;
    }

    private double gaussian() {
        double u = 1 - random.nextDouble();
        return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
