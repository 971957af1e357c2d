package io.uniserve.port.mongodb;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.PartitionKey;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/**
 * An _id as a key: equal for values that MongoDB takes for equal, such as the int 1, the long 1, the double 1.0 and the decimal 1.00.
 * Immutable.
 *
 * @param canonical text of the value, the same for all equal values
 * @param partition the key that selects the actor
 */
record DocumentKey(String canonical, PartitionKey partition) {
    private static final BigDecimal LONG_MIN = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    /** Decimals with a larger exponent are no long; their digits would be many. */
    private static final int LONG_DIGITS_MAX = 19;

    private static final String NUMBER = "number:";
    private static final String TEXT = "string:";

    /** Returns the key of an _id. Fails with INVALID_ROW for a value that MongoDB does not permit as _id. */
    static DocumentKey of(BsonValue id) {
        checkType(id);
        StringBuilder canonical = new StringBuilder();
        append(canonical, id);
        String text = canonical.toString();
        return new DocumentKey(text, partition(text));
    }

    static DocumentKey ofDocument(BsonDocument document) {
        return of(idOf(document));
    }

    /** The document's _id; null as BSON if it has none. */
    static BsonValue idOf(BsonDocument document) {
        return document.getOrDefault("_id", BsonNull.VALUE);
    }

    /** The ids that a filter names by equality, {@code $eq} or {@code $in}; none if it may find others. */
    static List<BsonValue> named(BsonDocument filter) {
        BsonValue id = idOf(filter);
        if (!isOperators(id)) {
            return filter.containsKey("_id") ? List.of(id) : List.of();
        }
        BsonValue any = id.asDocument().getOrDefault("$in", BsonNull.VALUE);
        return id.asDocument().containsKey("$eq")
                ? List.of(id.asDocument().getOrDefault("$eq", BsonNull.VALUE))
                : any.isArray() ? any.asArray() : List.of();
    }

    /** The one id that a filter demands, by equality or by {@code $eq} alone. */
    static Optional<BsonValue> only(BsonDocument filter) {
        BsonValue id = idOf(filter);
        boolean plain = isOperators(id)
                ? id.asDocument().size() == 1 && id.asDocument().containsKey("$eq")
                : filter.containsKey("_id") && !id.isRegularExpression();
        return plain ? Optional.of(named(filter).get(0)) : Optional.empty();
    }

    private static boolean isOperators(BsonValue condition) {
        return condition.isDocument()
                && !condition.asDocument().isEmpty()
                && condition.asDocument().getFirstKey().startsWith("$");
    }

    private static void checkType(BsonValue id) {
        switch (id.getBsonType()) {
            case ARRAY, REGULAR_EXPRESSION, UNDEFINED, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE, DB_POINTER, SYMBOL ->
                throw invalid("is of type " + id.getBsonType() + " (BadValue 2); use another type, such as a text");
            case DOCUMENT -> {
                for (String name : id.asDocument().keySet()) {
                    if (name.startsWith("$")) {
                        throw invalid("has the field \"" + name
                                + "\", which is an operator (DollarPrefixedFieldName 52); use another name");
                    }
                }
            }
            default -> {}
        }
    }

    private static UniserveException invalid(String what) {
        return new UniserveException(ErrorCode.INVALID_ROW, "MongoDB: the document's _id " + what);
    }

    /** A whole number and a text have the keys of {@link io.uniserve.api.Document}. */
    private static PartitionKey partition(String canonical) {
        if (canonical.startsWith(NUMBER)) {
            String number = canonical.substring(NUMBER.length());
            if (number.matches("-?[0-9]{1,19}")) {
                BigInteger whole = new BigInteger(number);
                if (whole.bitLength() < Long.SIZE) {
                    return PartitionKey.of(whole.longValue());
                }
            }
        } else if (canonical.startsWith(TEXT)) {
            String text = canonical.substring(TEXT.length());
            if (isTextKey(text)) {
                return PartitionKey.of(text);
            }
        }
        return isTextKey(canonical) ? PartitionKey.of(canonical) : PartitionKey.of("sha-256:" + sha256(canonical));
    }

    private static boolean isTextKey(String text) {
        return !text.isEmpty() && text.getBytes(StandardCharsets.UTF_8).length <= Limits.KEY_BYTES_MAX;
    }

    private static String sha256(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void append(StringBuilder to, BsonValue value) {
        switch (value.getBsonType()) {
            case INT32, INT64, DOUBLE, DECIMAL128 -> to.append(NUMBER).append(number(value));
            case STRING -> to.append(TEXT).append(value.asString().getValue());
            case SYMBOL -> to.append(TEXT).append(value.asSymbol().getSymbol());
            // The command load sends the same text as the key of a row.
            case OBJECT_ID ->
                to.append("oid:").append(value.asObjectId().getValue().toHexString());
            case DATE_TIME -> to.append("date:").append(value.asDateTime().getValue());
            case TIMESTAMP -> to.append("timestamp:").append(value.asTimestamp().getValue());
            case BOOLEAN -> to.append("bool:").append(value.asBoolean().getValue());
            case BINARY -> append(to, value.asBinary());
            case DOCUMENT -> append(to, value.asDocument());
            case ARRAY -> {
                to.append('[');
                value.asArray().forEach(element -> part(to, element));
                to.append(']');
            }
            default -> to.append(value.getBsonType()).append(':').append(value);
        }
    }

    private static void append(StringBuilder to, BsonBinary binary) {
        to.append("binary:")
                .append(binary.getType())
                .append(':')
                .append(HexFormat.of().formatHex(binary.getData()));
    }

    private static void append(StringBuilder to, BsonDocument document) {
        to.append('{');
        for (Map.Entry<String, BsonValue> field : document.entrySet()) {
            to.append(field.getKey().length()).append(':').append(field.getKey());
            part(to, field.getValue());
        }
        to.append('}');
    }

    /** Appends a value with its length, so that no two documents have one text. */
    private static void part(StringBuilder to, BsonValue value) {
        StringBuilder part = new StringBuilder();
        append(part, value);
        to.append(part.length()).append(':').append(part);
    }

    /** The exact value: digits if it is a long, otherwise as a decimal without zeros at its end. */
    private static String number(BsonValue value) {
        if (value.isInt32() || value.isInt64()) {
            return String.valueOf(value.asNumber().longValue());
        }
        if (value.isDouble()) {
            double number = value.asDouble().getValue();
            return Double.isNaN(number) || Double.isInfinite(number)
                    ? String.valueOf(number)
                    : exact(new BigDecimal(number));
        }
        Decimal128 decimal = value.asDecimal128().getValue();
        if (decimal.isNaN()) {
            return String.valueOf(Double.NaN);
        }
        if (decimal.isInfinite()) {
            return String.valueOf(decimal.isNegative() ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        }
        return exact(isZero(decimal) ? BigDecimal.ZERO : decimal.bigDecimalValue());
    }

    /** Minus zero has no BigDecimal. */
    private static boolean isZero(Decimal128 decimal) {
        return (decimal.isNegative() ? Decimal128.parse(decimal.toString().substring(1)) : decimal)
                        .bigDecimalValue()
                        .signum()
                == 0;
    }

    /** Whether a double has exactly this value. */
    static boolean isExactDouble(BsonValue number) {
        String text = number(number);
        double nearest = Double.parseDouble(text);
        return Double.isNaN(nearest)
                || Double.isInfinite(nearest) && text.endsWith("Infinity")
                || !Double.isInfinite(nearest) && exact(new BigDecimal(nearest)).equals(text);
    }

    private static String exact(BigDecimal number) {
        BigDecimal stripped = number.stripTrailingZeros();
        boolean whole = stripped.scale() <= 0
                && stripped.precision() - stripped.scale() <= LONG_DIGITS_MAX
                && stripped.compareTo(LONG_MIN) >= 0
                && stripped.compareTo(LONG_MAX) <= 0;
        return whole ? stripped.toBigInteger().toString() : stripped.toString();
    }
}
