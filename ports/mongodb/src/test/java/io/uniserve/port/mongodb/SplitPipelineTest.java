package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** What actors do of a pipeline, and what is left for the merge. */
class SplitPipelineTest {
    private static SplitPipeline split(String stages) {
        return SplitPipeline.of(SplitPipeline.documents(
                "pipeline", BsonDocument.parse("{p: [" + stages + "]}").getArray("p")));
    }

    private static void splits(String stages, String actors, String merge) {
        SplitPipeline split = split(stages);
        assertThat(split.actors())
                .as(stages)
                .isEqualTo(SplitPipeline.documents(
                        "a", BsonDocument.parse("{p: [" + actors + "]}").getArray("p")));
        assertThat(split.merge())
                .as(stages)
                .isEqualTo(SplitPipeline.documents(
                        "m", BsonDocument.parse("{p: [" + merge + "]}").getArray("p")));
    }

    @Test
    void stagesOfSingleDocumentsNeedNoMerge() {
        splits(
                "{$match: {a: 1}}, {$unwind: '$b'}, {$project: {b: 1}}",
                "{$match: {a: 1}}, {$unwind: '$b'}, {$project: {b: 1}}",
                "");
        splits("", "", "");
    }

    @Test
    void actorsReturnAsManyAsLimitsNeed() {
        splits(
                "{$sort: {a: 1}}, {$skip: 5}, {$limit: 3}",
                "{$sort: {a: 1}}, {$limit: 8}",
                "{$sort: {a: 1}}, {$skip: 5}, {$limit: 3}");
        splits("{$limit: 4}, {$match: {a: 1}}", "{$limit: 4}", "{$limit: 4}, {$match: {a: 1}}");
        splits("{$skip: 2}, {$match: {a: 1}}", "", "{$skip: 2}, {$match: {a: 1}}");
        splits("{$limit: 4}, {$skip: 1}, {$limit: 2}", "{$limit: 3}", "{$limit: 4}, {$skip: 1}, {$limit: 2}");
        splits("{$sort: {a: 1}}", "", "{$sort: {a: 1}}");
    }

    @Test
    void groupsAreMadeTwiceIfTheirAccumulatorsPermit() {
        splits(
                "{$group: {_id: '$g', n: {$sum: 1}, hi: {$max: '$x'}}}, {$match: {n: 2}}",
                "{$group: {_id: '$g', a0: {$sum: 1}, a1: {$max: '$x'}}}",
                "{$group: {_id: '$_id', a0: {$sum: '$a0'}, a1: {$max: '$a1'}}}, {$project: {n: '$a0', hi: '$a1'}}, {$match: {n: 2}}");
        splits(
                "{$group: {_id: null, all: {$push: '$x'}, n: {$count: {}}}}",
                "{$group: {_id: null, a0: {$push: '$x'}, a1: {$sum: 1}}}",
                "{$group: {_id: '$_id', a0: {$push: '$a0'}, a1: {$sum: '$a1'}}}, {$project: {all: {$reduce: {input: '$a0',"
                        + " initialValue: [], in: {$concatArrays: ['$$value', '$$this']}}}, n: '$a1'}}");
        splits("{$count: 'n'}", "{$count: 'n'}", "{$group: {_id: null, n: {$sum: '$n'}}}, {$project: {_id: 0}}");
    }

    @Test
    void actorsReturnTheFieldsThatAreRead() {
        String deviation = "{$group: {_id: {$add: ['$a.b', 1]}, d: {$median: {input: '$x.y', method: 'approximate'}}}}";
        splits(deviation, "{$project: {_id: 0, a: 1, x: 1}}", deviation);
        String first = "{$sort: {_id: 1, s: -1}}, {$skip: 1}, {$group: {_id: null, f: {$first: '$x'}}}";
        splits(first, "{$project: {_id: 1, s: 1, x: 1}}", first);
        String top = "{$group: {_id: '$g', t: {$topN: {n: {$add: [1, 1]}, sortBy: {'s.t': -1}, output: '$n'}}}}";
        splits(top, "{$project: {_id: 0, g: 1, n: 1, s: 1}}", top);
        String constant = "{$group: {_id: 'x', d: {$median: 1}}}, {$match: {}}";
        splits(constant, "{$project: {_id: 1}}", constant);
        for (String whole : List.of("'$$ROOT'", "'$$CURRENT.x'", "{$getField: 'x'}", "'$'")) {
            String all = "{$sort: {a: 1}}, {$group: {_id: null, f: {$median: " + whole + "}}}";
            splits(all, "", all);
        }
        splits("{$sort: {a: 1}}, {$facet: {}}", "", "{$sort: {a: 1}}, {$facet: {}}");
    }

    @Test
    void namesTheTablesThatStagesReadAtAnyDepth() {
        List<BsonDocument> stages = split(
                        "{$facet: {a: [{$lookup: {from: 'b', pipeline: [{$unionWith: 'c'}], as: 'x'}}]}},"
                                + " {$unionWith: {coll: 'd', pipeline: []}}")
                .merge();
        assertThat(ForeignCollections.names(stages)).containsExactly("b", "c", "d");
        assertThatThrownBy(() -> ForeignCollections.names(
                        split("{$sort: {a: 1}}, {$facet: {x: [{$out: 'x'}]}}").merge()))
                .hasMessageContaining("$out");
        assertThatThrownBy(() -> split("{}")).hasMessageContaining("0 fields");
    }

    private static String joined(String stages, String documents) {
        List<BsonDocument> parsed = SplitPipeline.documents(
                "d", BsonDocument.parse("{d: [" + documents + "]}").getArray("d"));
        return LookupFilter.of("u", split(stages).merge(), parsed).toJson();
    }

    @Test
    void aLookupReadsTheDocumentsThatItJoins() {
        String lookup = "{$lookup: {from: 'u', localField: 'a.b', foreignField: '_id', as: 'x'}}";
        assertThat(joined(lookup, "{a: {b: 1}}, {a: {b: 1}}, {a: [{b: 'x'}, {b: [2, 3]}]}, {a: 7}"))
                .isEqualTo("{\"_id\": {\"$in\": [\"x\", 1, 2, 3, [2, 3], null]}}");
        assertThat(joined(lookup, "")).isEqualTo("{\"_id\": {\"$in\": []}}");
        String all = "{}";
        assertThat(joined(lookup, "{a: {b: {$regularExpression: {pattern: 'x', options: ''}}}}"))
                .isEqualTo(all);
        assertThat(joined(lookup, "{a: {b: {c: 1}}}")).isEqualTo(all);
        assertThat(joined(lookup, "{a: {b: [[1]]}}")).isEqualTo(all);
        assertThat(joined(lookup + ", {$unionWith: 'u'}", "{a: {b: 1}}")).isEqualTo(all);
        assertThat(joined("{$sort: {n: 1}}, " + lookup, "{a: {b: 1}}")).isEqualTo(all);
        assertThat(joined(lookup.replace("'a.b'", "'a.0'"), "{a: [1]}")).isEqualTo(all);
        assertThat(joined("{$lookup: {from: 'u', pipeline: [], as: 'x'}}", "{a: 1}"))
                .isEqualTo(all);
    }
}
