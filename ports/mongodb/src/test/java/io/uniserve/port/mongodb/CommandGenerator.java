package io.uniserve.port.mongodb;

import io.uniserve.api.Document;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Random documents of hostile values, and random commands over them as Extended JSON. Values to sort by of which mongo-java-server has no
 * order are left out on request.
 */
final class CommandGenerator {
    private static final List<@Nullable Object> VALUES = Arrays.asList(
            null,
            0L,
            1L,
            1.0,
            -1L,
            2L,
            7L,
            -0.0,
            0.5,
            Double.NaN,
            (long) Integer.MAX_VALUE,
            (long) Integer.MIN_VALUE,
            1L << 40,
            -(1L << 40),
            1e15,
            "",
            "a",
            "A",
            "ab",
            "é",
            "日本",
            "😀",
            "\uFFFD",
            true,
            false,
            Map.of("$numberDecimal", "1.5"),
            Map.of("$date", "2024-02-29T00:00:00Z"),
            Map.of("$date", "1969-12-31T23:59:59.999Z"),
            Map.of("$oid", "507f1f77bcf86cd799439011"),
            List.of(1L, 2L),
            List.of("a", List.of(1L)),
            Map.of("b", 1L),
            new TreeMap<>(Map.of("b", "x", "c", List.of(Map.of("d", 1L), Map.of("d", 2L)))));

    /** Values of which mongo-java-server has no order, or a wrong one. */
    private static final List<@Nullable Object> ODD_VALUES = List.of(
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            (1L << 53) + 1,
            -(1L << 53) - 1,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            0x1p53,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            List.of(),
            List.of(List.of()),
            Map.of(),
            "$n",
            "$$ROOT",
            Map.of("$numberDecimal", "NaN"),
            Map.of("$numberDecimal", "-Infinity"));

    private static final List<String> PATHS = List.of("v", "w", "n", "g", "s", "o.b", "o.c.d", "list", "_id", "none");
    private static final List<String> COMPARISONS = List.of("$eq", "$ne", "$gt", "$gte", "$lt", "$lte");

    private final Random random;
    private final List<@Nullable Object> values;

    /** @param odd whether documents also have values that mongo-java-server does not order */
    CommandGenerator(Random random, boolean odd) {
        this.random = random;
        List<@Nullable Object> all = new ArrayList<>(VALUES);
        if (odd) {
            all.addAll(ODD_VALUES);
        }
        this.values = all;
    }

    /** Document with this key. */
    Document document(Object id) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("_id", id);
        maybe(fields, "v", value());
        maybe(fields, "w", value());
        maybe(fields, "n", random.nextInt(4) == 0 ? random.nextInt(40) / 4.0 : (Object) (long) random.nextInt(50));
        maybe(fields, "g", "g" + random.nextInt(5));
        maybe(fields, "s", pick(List.of("", "a", "ab", "b", "é", "😀", "日本")));
        Map<String, @Nullable Object> nested = new LinkedHashMap<>();
        maybe(nested, "b", value());
        maybe(nested, "c", List.of(Map.of("d", (long) random.nextInt(4)), Map.of("d", (long) random.nextInt(4))));
        maybe(fields, "o", nested);
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add((long) random.nextInt(6));
        }
        maybe(fields, "list", list);
        return new Document("_id", fields);
    }

    private void maybe(Map<String, @Nullable Object> fields, String name, @Nullable Object value) {
        if (random.nextInt(8) != 0) {
            fields.put(name, value);
        }
    }

    private @Nullable Object value() {
        return values.get(random.nextInt(values.size()));
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String literal() {
        return DocumentConverter.document(
                        "value", new LinkedHashMap<>(java.util.Collections.singletonMap("x", value())))
                .toJson()
                .replaceFirst("^\\{\"x\": (.*)\\}$", "$1");
    }

    /** Command on the collection {@code t}. */
    String command() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> find();
            case 2 -> byId();
            case 3 -> "{count: 't', query: " + filter(2) + paging() + "}";
            case 4 -> "{distinct: 't', key: '" + pick(PATHS) + "', query: " + filter(1) + "}";
            case 5 -> random.nextInt(3) == 0 ? shuffled() : aggregate();
            default -> aggregate();
        };
    }

    private String aggregate() {
        return "{aggregate: 't', cursor: {}, pipeline: [" + pipeline() + "]}";
    }

    /** Join by hostile values, shuffled also where a broadcast would do. */
    private String shuffled() {
        List<String> stages = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            stages.add(perDocument());
        }
        stages.add("{$lookup: {from: '" + pick(List.of("t", "u", "u")) + "', localField: '" + pick(PATHS)
                + "', foreignField: '" + pick(PATHS) + "', as: 'j'}}");
        stages.add(pick(List.of(
                "{$project: {v: 1, c: {$size: '$j'}}}, {$sort: {_id: 1}}",
                "{$unwind: '$j'}, {$project: {a: '$_id', b: '$j._id'}}, {$sort: {a: 1, b: 1}}",
                "{$unwind: {path: '$j', preserveNullAndEmptyArrays: true}},"
                        + " {$group: {_id: '$j._id', c: {$sum: 1}, hi: {$max: '$j.n'}}}, {$sort: {_id: 1}}",
                "{$match: {j: []}}, {$count: 'n'}",
                "{$lookup: {from: 'u', localField: 'j.n', foreignField: 'n', as: 'k'}},"
                        + " {$project: {c: {$size: '$k'}}}, {$sort: {_id: 1}}")));
        return "{aggregate: 't', cursor: {}, pipeline: [" + String.join(", ", stages) + "], '$shuffle': true}";
    }

    private String byId() {
        String id = random.nextInt(3) == 0
                ? "'k" + 3 * random.nextInt(100) + "'"
                : String.valueOf(random.nextInt(300) - 20);
        String filter =
                pick(List.of("{_id: " + id + "}", "{_id: {$eq: " + id + "}}", "{_id: " + id + ", n: {$gt: 20}}"));
        String projection = random.nextBoolean() ? ", projection: " + projection() : "";
        return "{find: 't', filter: " + filter + projection + paging() + "}";
    }

    private String find() {
        String sort = ", sort: {"
                + (random.nextBoolean() ? pick(List.of("n", "s", "g", "v")) + ": " + direction() + ", " : "") + "_id: "
                + direction() + "}";
        String projection = random.nextInt(3) == 0 ? ", projection: " + projection() : "";
        return "{find: 't', filter: " + filter(2) + sort + projection + paging() + "}";
    }

    private String paging() {
        return (random.nextInt(3) == 0 ? ", skip: " + random.nextInt(20) : "")
                + (random.nextInt(2) == 0 ? ", limit: " + (1 + random.nextInt(30)) : "");
    }

    private int direction() {
        return random.nextBoolean() ? 1 : -1;
    }

    private String projection() {
        return pick(List.of(
                "{n: 1}",
                "{n: 1, s: 1, _id: 0}",
                "{v: 0, o: 0}",
                "{_id: 0}",
                "{'o.b': 1}",
                "{list: {$slice: 1}}",
                "{list: {$elemMatch: {$gt: 2}}}"));
    }

    /** Filter with at most this many parts within each other. */
    String filter(int depth) {
        if (depth > 0 && random.nextInt(4) == 0) {
            String parts = filter(depth - 1) + ", " + filter(depth - 1);
            return "{" + pick(List.of("$and", "$or", "$nor")) + ": [" + parts + "]}";
        }
        String path = "'" + pick(PATHS) + "'";
        return switch (random.nextInt(12)) {
            case 0 -> "{}";
            case 1 -> "{" + path + ": " + literal() + "}";
            case 2 -> "{" + path + ": {$in: [" + literal() + ", " + literal() + "]}}";
            case 3 -> "{" + path + ": {$exists: " + random.nextBoolean() + "}}";
            case 4 -> "{" + path + ": {$type: '" + pick(List.of("string", "int", "double", "array", "null")) + "'}}";
            case 5 -> "{s: {$regex: '^" + pick(List.of("a", "é", "b?", ".")) + "'}}";
            case 6 -> "{list: {$size: " + random.nextInt(4) + "}}";
            case 7 -> "{n: {$not: {$gt: " + random.nextInt(50) + "}}}";
            case 8 -> "{'o.c': {$elemMatch: {d: " + random.nextInt(4) + "}}}";
            case 9 -> "{$expr: {$gt: ['$n', " + random.nextInt(50) + "]}}";
            default -> "{" + path + ": {" + pick(COMPARISONS) + ": " + literal() + "}}";
        };
    }

    private String pipeline() {
        List<String> stages = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            stages.add(perDocument());
        }
        stages.add(
                switch (random.nextInt(9)) {
                    case 0 -> "{$sort: {n: 1, _id: 1}}, {$skip: 3}, {$limit: " + (1 + random.nextInt(20)) + "}";
                    case 1 -> "{$count: 'n'}";
                    case 2 -> "{$sortByCount: '$" + pick(List.of("g", "s", "n")) + "'}, {$sort: {count: -1, _id: 1}}";
                    case 3 -> "{$bucket: {groupBy: '$m', boundaries: [0, 5, 20, 50], default: 'other'}}";
                    case 4 ->
                        "{$facet: {a: [{$match: {n: {$gt: 10}}}, {$count: 'c'}], b: [{$sort: {_id: 1}}, {$limit: 2}]}}";
                    case 5 ->
                        "{$sort: {_id: 1}}, {$group: {_id: '$g', f: {$first: '$n'}, l: {$last: '$s'}, p: {$push: '$n'}}},"
                                + " {$sort: {_id: 1}}";
                    case 6 ->
                        "{$lookup: {from: 'u', localField: '" + pick(PATHS) + "', foreignField: '"
                                + pick(List.of("g", "_id", "n", "list", "o.b")) + "', as: 'j'}}, {$unwind: '$j'},"
                                + " {$group: {_id: '$j._id', c: {$sum: 1}, hi: {$max: '$j.n'}}}, {$sort: {_id: 1}}";
                    default -> group() + ", {$sort: {_id: 1}}";
                });
        return "{$addFields: {m: {$ifNull: ['$n', 3]}}}, " + String.join(", ", stages);
    }

    private String perDocument() {
        return pick(List.of(
                "{$match: " + filter(1) + "}",
                "{$addFields: {q: {$concat: [{$ifNull: ['$g', '']}, 'x']}}}",
                "{$unset: 'v'}",
                "{$project: {_id: 1, n: 1, g: 1, s: 1, m: 1, v: 1, list: 1}}",
                "{$unwind: '$list'}",
                "{$unwind: {path: '$list', preserveNullAndEmptyArrays: true}}"));
    }

    private String group() {
        String id = pick(
                List.of("'$g'", "'$s'", "null", "{a: '$g', b: '$s'}", "'$n'", "{$strLenCP: {$ifNull: ['$g', '']}}"));
        String number = pick(List.of("'$n'", "'$m'", "'$v'", "'$list'"));
        return "{$group: {_id: " + id + ", c: {$sum: 1}, a: {$avg: '$n'}, s: {$sum: " + number + "}, lo: {$min: '$"
                + pick(List.of("n", "s", "w")) + "'}, hi: {$max: '$" + pick(List.of("n", "s", "w")) + "'}"
                + pick(List.of("", "", ", set: {$addToSet: '$s'}", ", bag: {$push: '$n'}"))
                + (random.nextInt(4) == 0 ? ranking() : "") + "}}";
    }

    /** Accumulators of MongoDB 5.2 and later, which mongo-java-server refuses. */
    private String ranking() {
        String order = "sortBy: {'" + pick(List.of("n", "s", "v", "o.b", "o.c.d", "list")) + "': " + direction()
                + ", _id: " + direction() + "}, output: '$" + pick(List.of("n", "_id", "none")) + "'}";
        return pick(List.of(
                ", d: {$stdDevPop: '$n'}, e: {$stdDevSamp: '$n'}",
                ", d: {$stdDevSamp: '$v'}",
                ", t: {$top: {" + order + "}, b: {$bottom: {" + order + "}",
                ", t: {$topN: {n: 3, " + order + "}, d: {$stdDevPop: '$n'}",
                ", b: {$bottomN: {n: 3, " + order + "}, bag: {$push: '$s'}, set: {$addToSet: '$n'}",
                ", t: {$topN: {n: 3, " + order + "}, u: {$topN: {n: 2, " + order + "}",
                ", x: {$maxN: {n: 2, input: '$n'}}, y: {$minN: {n: 4, input: '$s'}}"));
    }
}
