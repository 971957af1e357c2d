package io.uniserve.aws.ec2;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;

/** Meaning of EC2's errors: no capacity here, try later, or an error that names the cause and the remedy. */
final class Ec2ErrorMapper {
    private static final Set<String> NO_CAPACITY = Set.of(
            "InsufficientInstanceCapacity",
            "InsufficientHostCapacity",
            "InsufficientReservedInstanceCapacity",
            "InsufficientFreeAddressesInSubnet",
            "SpotMaxPriceTooLow",
            "Unsupported");
    private static final Set<String> LIMITS =
            Set.of("InstanceLimitExceeded", "VcpuLimitExceeded", "MaxSpotInstanceCountExceeded");
    private static final Set<String> THROTTLED = Set.of("RequestLimitExceeded", "Throttling", "EC2ThrottledException");
    private static final Set<String> CREDENTIALS = Set.of("AuthFailure", "InvalidClientTokenId", "ExpiredToken");
    private static final int SERVER_ERROR = 500;

    private Ec2ErrorMapper() {}

    static String code(Ec2Exception e) {
        AwsErrorDetails details = e.awsErrorDetails();
        String code = details == null ? null : details.errorCode();
        return code == null ? "status " + e.statusCode() : code;
    }

    /** True if another type or zone may have capacity. The call has made no instance. */
    static boolean isLackOfCapacity(Ec2Exception e) {
        return NO_CAPACITY.contains(code(e));
    }

    static boolean isUnknownInstance(@Nullable Throwable cause) {
        return cause instanceof Ec2Exception e && code(e).equals("InvalidInstanceID.NotFound");
    }

    /**
     * The error for operators.
     *
     * @param action right that the call needs, such as {@code ec2:RunInstances}
     */
    static UniserveException map(String what, String action, SdkException e) {
        String text = "EC2 cannot " + what + ": ";
        if (!(e instanceof Ec2Exception ec2)) {
            boolean credentials = String.valueOf(e.getMessage()).contains("Unable to load credentials");
            return new UniserveException(
                    credentials ? ErrorCode.UNAUTHORIZED : ErrorCode.UNAVAILABLE,
                    text
                            + (credentials
                                    ? "no credentials: give the machine a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                                    : "no answer: " + e.getMessage()),
                    e);
        }
        String code = code(ec2);
        String full = text + code + ": ";
        if (code.equals("UnauthorizedOperation")) {
            return new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    full + "permit " + action
                            + " to the coordinator's role, and ec2:CreateTags and iam:PassRole for a launch: "
                            + ec2.getMessage(),
                    e);
        }
        if (CREDENTIALS.contains(code)) {
            return new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    full + "renew the credentials, or permit the template's image: " + ec2.getMessage(),
                    e);
        }
        if (LIMITS.contains(code)) {
            return new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    full + "ask AWS for a larger quota, or lower servers-max: " + ec2.getMessage(),
                    e);
        }
        if (code.startsWith("InvalidLaunchTemplate")) {
            return new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    full + "correct uniserve.coordinator.scaling.template: " + ec2.getMessage(),
                    e);
        }
        if (code.equals("InvalidSubnetID.NotFound")) {
            return new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    full + "correct uniserve.coordinator.scaling.ec2.subnets: " + ec2.getMessage(),
                    e);
        }
        if (code.equals("RequestExpired")) {
            return new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, full + "the clock of this machine is wrong: correct it", e);
        }
        if (code.equals("IdempotentParameterMismatch")) {
            return new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, full + "configure all coordinators alike: " + ec2.getMessage(), e);
        }
        ErrorCode kind = THROTTLED.contains(code) || ec2.statusCode() >= SERVER_ERROR
                ? ErrorCode.UNAVAILABLE
                : ErrorCode.INVALID_ARGUMENT;
        return new UniserveException(kind, full + ec2.getMessage(), e);
    }
}
