package io.uniserve.port.mongodb;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonBinarySubType;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** Checks of users' commands before an engine sees them. Stateless. */
final class CommandValidator {
    /** Operators that run code. */
    private static final Set<String> CODE = Set.of("$where", "$function", "$accumulator");

    /** Prefix of the operators and stages that servers send to each other; some run code. */
    private static final String INTERNAL = "$_internal";

    /** Operators, variables and stages whose result differs between two evaluations, so replicas would differ. */
    private static final Set<String> VARYING =
            Set.of("$currentDate", "$rand", "$sampleRate", "$sample", "$createObjectId");

    private static final Set<String> VARYING_VARIABLES = Set.of("$$NOW", "$$CLUSTER_TIME", "$$USER_ROLES");

    private static final int UUID_BYTES = 16;

    /** MongoDB's limit of nested documents. */
    private static final int DEPTH_MAX = 100;

    private CommandValidator() {}

    /** The stages that an operator's parameters have for an actor. Refuses those that no planner sends. */
    static List<BsonDocument> actorStages(BsonDocument parameters, String field) {
        List<BsonDocument> stages = SplitPipeline.documents(field, parameters.getOrDefault(field, BsonNull.VALUE));
        stages.forEach(stage -> checkOperators(stage, false));
        SplitPipeline.checkActorStages(stages);
        return stages;
    }

    /**
     * Refuses operators that run code, and documents of more than 100 levels.
     *
     * @param replicated true for a part of an update, which every replica evaluates: refuses what differs between evaluations, too
     */
    static void checkOperators(BsonValue value, boolean replicated) {
        check(value, replicated, 1);
    }

    private static void check(BsonValue value, boolean replicated, int depth) {
        if (depth > DEPTH_MAX) {
            throw UniserveException.invalid("MongoDB: the command has more than " + DEPTH_MAX
                    + " levels of documents and arrays (Overflow 15): nest less");
        }
        if (value.isDocument()) {
            for (Map.Entry<String, BsonValue> field : value.asDocument().entrySet()) {
                checkName(field.getKey(), replicated);
                check(field.getValue(), replicated, depth + 1);
            }
        } else if (value.isArray()) {
            for (BsonValue element : value.asArray()) {
                check(element, replicated, depth + 1);
            }
        } else if (value.isString()
                && replicated
                && VARYING_VARIABLES.contains(value.asString().getValue())) {
            throw UniserveException.unsupported("MongoDB: " + value.asString().getValue()
                    + " in an update, because replicas would differ: give the value");
        } else if (value.isJavaScript() || value.isJavaScriptWithScope()) {
            throw UniserveException.unsupported("MongoDB: code in a command: use operators");
        }
    }

    /** Refuses a document of more than 100 levels. */
    static void checkDepth(BsonDocument document) {
        checkDepth(document, 1);
    }

    private static void checkDepth(BsonValue value, int depth) {
        if (depth > DEPTH_MAX) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "MongoDB: a document has more than " + DEPTH_MAX
                            + " levels of documents and arrays (Overflow 15): nest less");
        }
        if (value.isDocument()) {
            value.asDocument().values().forEach(field -> checkDepth(field, depth + 1));
        } else if (value.isArray()) {
            value.asArray().forEach(element -> checkDepth(element, depth + 1));
        }
    }

    private static void checkName(String name, boolean replicated) {
        if (CODE.contains(name) || name.startsWith(INTERNAL)) {
            throw UniserveException.unsupported(
                    "MongoDB: " + name + ", which runs code or is internal (BadValue 2): use operators such as $expr");
        }
        if (replicated && VARYING.contains(name)) {
            throw UniserveException.unsupported(
                    "MongoDB: " + name + " in an update, because replicas would differ: give the value");
        }
    }

    /**
     * Refuses values that the embedded server would evaluate as expressions, because it would answer other values than were stored, and
     * types that it cannot read.
     */
    static void checkPlainValues(BsonValue value) {
        if (!isEmbeddedType(value)) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "MongoDB: the embedded server cannot keep a value of type " + value.getBsonType()
                            + (value.isBinary()
                                    ? " and subtype " + value.asBinary().getType()
                                    : "")
                            + ": set server.port-settings.mongodb.uri to a MongoDB server, or store another value");
        }
        if (value.isString() && value.asString().getValue().startsWith("$")) {
            throw embedded("the text \"" + value.asString().getValue() + "\"");
        } else if (value.isDocument()) {
            value.asDocument().forEach((name, field) -> {
                if (name.startsWith("$")) {
                    throw embedded("the field \"" + name + "\"");
                }
                checkPlainValues(field);
            });
        } else if (value.isArray()) {
            value.asArray().forEach(CommandValidator::checkPlainValues);
        }
    }

    /** Whether the embedded server returns such a value as it was stored. */
    private static boolean isEmbeddedType(BsonValue value) {
        if (value.isBinary()) {
            byte subtype = value.asBinary().getType();
            return subtype == BsonBinarySubType.BINARY.getValue()
                    || subtype == BsonBinarySubType.UUID_STANDARD.getValue()
                            && value.asBinary().getData().length == UUID_BYTES;
        }
        return switch (value.getBsonType()) {
            case SYMBOL, UNDEFINED, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE, DB_POINTER -> false;
            default -> true;
        };
    }

    /** Refuses an _id that the embedded server takes for equal to others, because it compares numbers as doubles. */
    static void checkEmbeddedId(BsonValue id) {
        if (id.isDocument()) {
            id.asDocument().values().forEach(CommandValidator::checkEmbeddedId);
        } else if (id.isArray()) {
            id.asArray().forEach(CommandValidator::checkEmbeddedId);
        } else if (id.isNumber() && !DocumentKey.isExactDouble(id)) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "MongoDB: the embedded server takes the _id " + MongoWrite.json(id)
                            + " for equal to others: set server.port-settings.mongodb.uri to a MongoDB server,"
                            + " or use another _id");
        }
    }

    private static UniserveException embedded(String what) {
        return new UniserveException(
                ErrorCode.INVALID_ROW,
                "MongoDB: " + PrintableText.line(what)
                        + " begins with $, which the embedded server takes for an expression:"
                        + " set server.port-settings.mongodb.uri to a MongoDB server, or store another value");
    }

    /** Refuses fields of a command that are not among those known. */
    static void checkFields(String command, BsonDocument body, Set<String> known) {
        for (String name : body.keySet()) {
            if (!known.contains(name)) {
                throw UniserveException.unsupported("MongoDB: field '" + name + "' of command " + command
                        + " (Location40415): use "
                        + String.join(
                                ", ", known.stream().sorted(CodePoints.ORDER).toList()));
            }
        }
    }
}
