package io.uniserve.port.mongodb;

import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationAlternate;
import com.mongodb.client.model.CollationCaseFirst;
import com.mongodb.client.model.CollationMaxVariable;
import com.mongodb.client.model.CollationStrength;
import io.uniserve.error.UniserveException;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Options of a command that actors and merge need. Immutable.
 *
 * @param hint keys of the index to use; empty for the engine's choice
 * @param collation order and equality of texts; empty for that of their bytes
 */
record QueryOptions(BsonDocument hint, BsonDocument collation) {
    static final QueryOptions NONE = new QueryOptions(new BsonDocument(), new BsonDocument());

    private static final String HINT = "hint";
    private static final String COLLATION = "collation";
    private static final String NATURAL = "$natural";

    /** Returns the options in a command or in an operator's parameters. */
    static QueryOptions of(BsonDocument command) {
        return new QueryOptions(document(command, HINT), document(command, COLLATION));
    }

    private static BsonDocument document(BsonDocument command, String field) {
        BsonValue value = command.getOrDefault(field, BsonNull.VALUE);
        if (!value.isDocument() && !value.isNull()) {
            throw UniserveException.invalid("MongoDB: field '" + field + "' must be a document (TypeMismatch 14)"
                    + (field.equals(HINT) ? ": give the keys of an index" : ""));
        }
        return value.isNull() ? new BsonDocument() : value.asDocument();
    }

    void addTo(BsonDocument parameters) {
        if (!hint.isEmpty()) {
            parameters.put(HINT, hint);
        }
        if (hasCollation()) {
            parameters.put(COLLATION, collation);
        }
    }

    boolean hasCollation() {
        return !collation.isEmpty();
    }

    /** Fails with INVALID_ARGUMENT for a hint at an index that the table does not have. */
    void checkHint(SecondaryIndexes indexes) {
        BsonDocument stored = storedHint();
        boolean known = stored == null
                || hint.containsKey(NATURAL)
                || hint.equals(new BsonDocument("_id", new BsonInt32(1)))
                || indexes.stored().contains(stored);
        if (!known) {
            throw UniserveException.invalid("MongoDB: field 'hint' is " + hint.toJson()
                    + ", but the table has no such index (BadValue 2): add it to the table's option "
                    + SecondaryIndexes.OPTION + ", or leave the hint out");
        }
    }

    /** The hint as keys of stored documents; null for none. */
    @Nullable
    BsonDocument storedHint() {
        if (hint.isEmpty() || hint.containsKey(NATURAL)) {
            return hint.isEmpty() ? null : hint;
        }
        BsonDocument stored = new BsonDocument();
        hint.forEach((field, order) -> stored.put(MongoTable.DOCUMENT + "." + field, order));
        return stored;
    }

    /** The driver's form of the collation; null for none. */
    @Nullable
    Collation parsedCollation() {
        if (!hasCollation()) {
            return null;
        }
        Collation.Builder builder = Collation.builder();
        for (Map.Entry<String, BsonValue> field : collation.entrySet()) {
            try {
                set(builder, field.getKey(), field.getValue());
            } catch (RuntimeException e) { // a value of another type, or one that the driver does not know
                throw UniserveException.invalid("MongoDB: field '" + field.getKey() + "' of the collation is "
                        + field.getValue() + " (BadValue 2); use a value of MongoDB's manual");
            }
        }
        return builder.build();
    }

    private static void set(Collation.Builder builder, String field, BsonValue value) {
        switch (field) {
            case "locale" -> builder.locale(value.asString().getValue());
            case "strength" ->
                builder.collationStrength(
                        CollationStrength.fromInt(value.asNumber().intValue()));
            case "caseLevel" -> builder.caseLevel(value.asBoolean().getValue());
            case "caseFirst" ->
                builder.collationCaseFirst(
                        CollationCaseFirst.fromString(value.asString().getValue()));
            case "numericOrdering" -> builder.numericOrdering(value.asBoolean().getValue());
            case "alternate" ->
                builder.collationAlternate(
                        CollationAlternate.fromString(value.asString().getValue()));
            case "maxVariable" ->
                builder.collationMaxVariable(
                        CollationMaxVariable.fromString(value.asString().getValue()));
            case "normalization" -> builder.normalization(value.asBoolean().getValue());
            case "backwards" -> builder.backwards(value.asBoolean().getValue());
            default -> throw new IllegalArgumentException("unknown field");
        }
    }
}
