package io.uniserve.port.mongodb.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.uniserve.testkit.seed.Seed;
import io.uniserve.testkit.seed.SeededTest;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/**
 * Halves of {@code $group}: the text of the actors' and the merging stages, as mongo-java-server has none of these accumulators. The merge of
 * standard deviations consists of operators that it has, so that one runs.
 */
class GroupSplitTest {
    private static SplitPipeline split(String group) {
        return SplitPipeline.of(SplitPipeline.documents(
                "pipeline", BsonDocument.parse("{p: [{$group: " + group + "}]}").getArray("p")));
    }

    private static List<BsonDocument> stages(String stages) {
        return SplitPipeline.documents(
                "s", BsonDocument.parse("{p: [" + stages + "]}").getArray("p"));
    }

    private static void splits(String group, String actors, String merge) {
        assertThat(split(group).actors()).as(group).isEqualTo(stages(actors));
        assertThat(split(group).merge()).as(group).isEqualTo(stages(merge));
    }

    private static void staysWhole(String group) {
        assertThat(split(group).merge()).as(group).isEqualTo(stages("{$group: " + group + "}"));
        assertThat(split(group).actors()).as(group).noneMatch(stage -> stage.containsKey("$group"));
    }

    @Test
    void theBestOfActorsCarryTheFieldsToSortBy() {
        splits(
                "{_id: '$g', t: {$top: {sortBy: {'a.b': -1, a: 1, c: 1}, output: '$x'}}}",
                "{$group: {_id: '$g', a0: {$top: {sortBy: {'a.b': -1, a: 1, c: 1},"
                        + " output: {o: {a0: '$x'}, s: {a: '$a', c: '$c'}}}}}}",
                "{$group: {_id: '$_id', a0: {$top: {sortBy: {'a0.s.a.b': -1, 'a0.s.a': 1, 'a0.s.c': 1},"
                        + " output: '$a0.o.a0'}}}}, {$project: {t: '$a0'}}");
    }

    @Test
    void aListOfTheBestIsUnwoundAndOtherFieldsCountOnce() {
        splits(
                "{_id: '$g', t: {$topN: {n: 2, sortBy: {c: 1}, output: '$x'}}, n: {$sum: '$y'}, hi: {$max: '$y'},"
                        + " u: {$topN: {n: 2, sortBy: {c: 1}, output: ['$y']}}, p: {$push: '$y'}}",
                "{$group: {_id: '$g', a1: {$sum: '$y'}, a2: {$max: '$y'}, a4: {$push: '$y'},"
                        + " e: {$topN: {n: 2, sortBy: {c: 1}, output: {o: {a0: '$x', a3: ['$y']}, s: {c: '$c'}}}}}}",
                "{$unwind: {path: '$e', includeArrayIndex: 'i'}}, {$group: {_id: '$_id',"
                        + " a0: {$topN: {n: 2, sortBy: {'e.s.c': 1}, output: '$e.o.a0'}},"
                        + " a1: {$sum: {$cond: [{$eq: ['$i', 0]}, '$a1', null]}}, a2: {$max: '$a2'},"
                        + " a3: {$topN: {n: 2, sortBy: {'e.s.c': 1}, output: '$e.o.a3'}},"
                        + " a4: {$push: {$cond: [{$eq: ['$i', 0]}, '$a4', []]}}}},"
                        + " {$project: {t: '$a0', n: '$a1', hi: '$a2', u: '$a3', p: {$reduce: {input: '$a4',"
                        + " initialValue: [], in: {$concatArrays: ['$$value', '$$this']}}}}}");
    }

    @Test
    void listsOfValuesAreSelectedFromAllPartialLists() {
        for (String accumulator : List.of("$firstN", "$lastN", "$minN", "$maxN")) {
            splits(
                    "{_id: null, f: {" + accumulator + ": {input: '$x', n: 3}}}",
                    "{$group: {_id: null, a0: {" + accumulator + ": {input: '$x', n: 3}}}}",
                    "{$group: {_id: '$_id', a0: {$push: '$a0'}}}, {$project: {f: {" + accumulator
                            + ": {input: {$reduce: {input: '$a0', initialValue: [],"
                            + " in: {$concatArrays: ['$$value', '$$this']}}}, n: 3}}}}");
        }
    }

    @Test
    void whatCannotBeMergedIsGroupedByThePlanningServer() {
        staysWhole("{_id: '$g', t: {$topN: {n: {$add: ['$_id', 1]}, sortBy: {c: 1}, output: '$x'}}}");
        staysWhole("{_id: '$g', t: {$firstN: {n: '$g', input: '$x'}}}");
        staysWhole("{_id: '$g', t: {$top: {sortBy: {c: {$meta: 'textScore'}}, output: '$x'}}}");
        staysWhole("{_id: '$g', t: {$top: {sortBy: {c: 1}}}}");
        staysWhole("{_id: '$g', t: {$top: {sortBy: {c: 1}, output: 1, more: 1}}}");
        staysWhole("{_id: '$g', t: {$topN: {n: 1, sortBy: {c: 1}, output: '$x'}},"
                + " u: {$topN: {n: 2, sortBy: {c: 1}, output: '$x'}}}");
        staysWhole("{_id: '$g', t: {$topN: {n: 1, sortBy: {c: 1}, output: '$x'}},"
                + " u: {$bottomN: {n: 1, sortBy: {c: 1}, output: '$x'}}}");
        staysWhole("{_id: '$g', t: {$topN: {n: 1, sortBy: {a: 1, b: 1}, output: '$x'}},"
                + " u: {$topN: {n: 1, sortBy: {b: 1, a: 1}, output: '$x'}}}");
        staysWhole("{_id: '$g', t: {$median: {input: '$x', method: 'approximate'}}, n: {$sum: 1}}");
        staysWhole("{_id: '$g', 'a.b': {$sum: 1}}");
        staysWhole("{_id: '$g', a: {$sum: 1, $max: 1}}");
        staysWhole("{_id: '$g', t: {$topN: 7}}");
    }

    @Test
    void actorsReturnCountMeanAndDeviation() {
        BsonDocument partial =
                split("{_id: null, d: {$stdDevSamp: '$x'}}").actors().get(0).getDocument("$group");
        assertThat(partial.keySet()).containsExactly("_id", "a0", "a0n", "a0m");
        assertThat(partial.get("a0")).isEqualTo(BsonDocument.parse("{$stdDevPop: '$x'}"));
    }

    /** Partial result that an actor with MongoDB has of these values. */
    private static BsonDocument partial(List<Double> values) {
        double mean = 0;
        double squares = 0;
        for (int i = 0; i < values.size(); i++) {
            double delta = values.get(i) - mean;
            if (delta != 0) {
                mean += delta / (i + 1);
                squares += delta * (values.get(i) - mean);
            }
        }
        boolean none = values.isEmpty();
        return new BsonDocument("_id", new BsonInt32(1))
                .append("a0n", new BsonInt32(values.size()))
                .append("a0m", none ? BsonNull.VALUE : new BsonDouble(mean * 0x1p-50))
                .append("a0", none ? BsonNull.VALUE : new BsonDouble(Math.sqrt(squares / values.size())));
    }

    /** Two passes with 50 digits; NaN with a value that is not finite. */
    private static double deviation(List<Double> values, int less) {
        if (!values.stream().allMatch(Double::isFinite)) {
            return Double.NaN;
        }
        MathContext digits = new MathContext(50);
        BigDecimal mean = values.stream()
                .map(BigDecimal::new)
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .divide(new BigDecimal(values.size()), digits);
        return values.stream()
                .map(value -> new BigDecimal(value).subtract(mean).pow(2, digits))
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .divide(new BigDecimal(values.size() - less), digits)
                .sqrt(digits)
                .doubleValue();
    }

    private static List<Double> values(Random random, int length) {
        double base = List.of(0.0, 1e9, -1e15, 1e150, 1e-150, 1.7e308).get(random.nextInt(6));
        double width = base == 1.7e308 ? 1e150 : base == 0 ? 1 : Math.abs(base) / 1e6;
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            values.add(base + random.nextInt(3) * width);
        }
        if (random.nextInt(8) == 0 && length > 0) {
            values.set(
                    random.nextInt(length),
                    List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)
                            .get(random.nextInt(3)));
        }
        return values;
    }

    @SeededTest(seeds = 3)
    void mergedDeviationsAreThoseOfAllValues(@Seed long seed) {
        Random random = new Random(seed);
        MongoServer server = new MongoServer(new MemoryBackend());
        try (MongoClient client = MongoClients.create(server.bindAndGetConnectionString())) {
            MongoCollection<BsonDocument> parts = client.getDatabase("d").getCollection("parts", BsonDocument.class);
            for (int round = 0; round < 100; round++) {
                List<Double> all = values(random, random.nextInt(12));
                List<List<Double>> actors = Arrays.asList(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
                all.forEach(value -> actors.get(random.nextInt(3)).add(value));
                parts.deleteMany(new BsonDocument());
                actors.forEach(values -> parts.insertOne(new BsonDocument("p", partial(values))));
                for (String operator : List.of("$stdDevPop", "$stdDevSamp")) {
                    check(parts, operator, all);
                }
            }
        } finally {
            server.shutdownNow();
        }
    }

    private static void check(MongoCollection<BsonDocument> parts, String operator, List<Double> all) {
        List<BsonDocument> stages = new ArrayList<>(stages("{$replaceRoot: {newRoot: '$p'}}"));
        stages.addAll(split("{_id: null, d: {" + operator + ": '$x'}}").merge());
        BsonValue merged = parts.aggregate(stages).first().get("d", new BsonString("absent"));
        int less = operator.equals("$stdDevSamp") ? 1 : 0;
        if (all.size() - less <= 0) {
            assertThat(merged).as("%s of %s", operator, all).isEqualTo(BsonNull.VALUE);
            return;
        }
        double expected = deviation(all, less);
        double tolerance = all.stream().mapToDouble(Math::abs).max().orElse(0) * 1e-13 + 1e-9 * expected;
        if (Double.isFinite(expected)) {
            assertThat(merged.asNumber().doubleValue())
                    .as("%s of %s", operator, all)
                    .isCloseTo(expected, Offset.offset(tolerance));
        } else {
            assertThat(merged).as("%s of %s", operator, all).isEqualTo(new BsonDouble(Double.NaN));
        }
    }
}
