package io.uniserve.aws.s3;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Meaning of a store's errors: repeat, slow down, or an error that names the cause and the remedy. */
final class S3ErrorMapper {
    private static final Set<String> SLOW_DOWN =
            Set.of("SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests");
    /** Codes that may come with any status, also with 200. */
    private static final Set<String> REPEATABLE =
            Set.of("InternalError", "ServiceUnavailable", "OperationAborted", "RequestTimeout");

    private static final Set<String> CREDENTIALS = Set.of(
            "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "TokenRefreshRequired");
    private static final Set<String> OTHER_REGION =
            Set.of("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException");
    static final int NOT_FOUND = 404;
    static final int PRECONDITION_FAILED = 412;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int UNAVAILABLE = 503;

    private final S3Location location;

    S3ErrorMapper(S3Location location) {
        this.location = location;
    }

    /** Error code of the store's answer; empty if it has none, as answers to HEAD. */
    static String code(S3Exception e) {
        AwsErrorDetails details = e.awsErrorDetails();
        String code = details == null ? null : details.errorCode();
        return code == null ? "" : code;
    }

    static boolean isSlowDown(SdkException e) {
        return e instanceof S3Exception s3
                && (s3.statusCode() == UNAVAILABLE || s3.statusCode() == TOO_MANY || SLOW_DOWN.contains(code(s3)));
    }

    /** True if the same request may succeed later. A conflict of concurrent writes does: 409 does not mean that the object exists. */
    static boolean isRepeatable(SdkException e) {
        if (e instanceof S3Exception s3) {
            int status = s3.statusCode();
            return status == CONFLICT && !code(s3).startsWith("Bucket")
                    || status >= SERVER_ERROR && status != NOT_IMPLEMENTED
                    || isSlowDown(e)
                    || REPEATABLE.contains(code(s3));
        }
        return true; // credentials too: the machine's role may come late after its start
    }

    private static boolean isCredentials(SdkException e) {
        return String.valueOf(e.getMessage()).contains("Unable to load credentials");
    }

    /** True for an answer that is no XML. One that was cut off looks the same, so the request is repeated first. */
    private static boolean isNoS3(SdkException e) {
        return e instanceof SdkClientException && String.valueOf(e.getMessage()).contains("parse XML");
    }

    /**
     * The error for operators.
     *
     * @param what the request, such as {@code store backup/x}
     * @param action right that the request needs, such as {@code s3:PutObject}
     */
    UniserveException map(String what, String action, SdkException e) {
        String text = location.describe() + ": cannot " + what + ": ";
        if (!(e instanceof S3Exception s3)) {
            if (isCredentials(e)) {
                return error(
                        ErrorCode.UNAUTHORIZED,
                        text + "no credentials: set AWS_ACCESS_KEY_ID and"
                                + " AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine",
                        e);
            }
            return isNoS3(e)
                    ? error(ErrorCode.INVALID_CONFIGURATION, text + "the endpoint does not answer like S3", e)
                    : error(ErrorCode.UNAVAILABLE, text + "no answer: " + e.getMessage(), e);
        }
        String code = code(s3);
        String full = text + (code.isEmpty() ? "status " + s3.statusCode() : code) + ": ";
        if (code.equals("NoSuchBucket")) {
            return error(ErrorCode.INVALID_CONFIGURATION, full + "create the bucket, or correct the location", e);
        }
        if (code.equals("RequestTimeTooSkewed")) {
            return error(ErrorCode.INVALID_CONFIGURATION, full + "the clock of this machine is wrong: correct it", e);
        }
        if (OTHER_REGION.contains(code) || s3.statusCode() == 301) {
            return error(ErrorCode.INVALID_CONFIGURATION, full + "the bucket is in " + region(s3), e);
        }
        if (CREDENTIALS.contains(code)) {
            return error(ErrorCode.UNAUTHORIZED, full + "the store rejects the credentials: renew or correct them", e);
        }
        if (s3.statusCode() == 403) {
            return error(ErrorCode.UNAUTHORIZED, full + "permit " + action + " to the credentials", e);
        }
        if (code.isEmpty() && s3.statusCode() < SERVER_ERROR) {
            return error(ErrorCode.INVALID_CONFIGURATION, full + "does the endpoint belong to a store like S3?", e);
        }
        if (s3.statusCode() == NOT_IMPLEMENTED) {
            return error(ErrorCode.UNSUPPORTED, full + "the store has no such function: use another store", e);
        }
        ErrorCode kind = s3.statusCode() >= SERVER_ERROR ? ErrorCode.UNAVAILABLE : ErrorCode.IO;
        return error(kind, full + s3.getMessage(), e);
    }

    private static String region(S3Exception e) {
        AwsErrorDetails details = e.awsErrorDetails();
        @Nullable
        String region = details == null || details.sdkHttpResponse() == null
                ? null
                : details.sdkHttpResponse()
                        .firstMatchingHeader("x-amz-bucket-region")
                        .orElse(null);
        return region == null
                ? "another region: add ?region=REGION to the location"
                : "region " + region + ": add ?region=" + region + " to the location";
    }

    private static UniserveException error(ErrorCode code, String text, SdkException cause) {
        return new UniserveException(code, text, cause);
    }
}
