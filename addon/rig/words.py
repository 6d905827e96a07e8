"""Words that rigs of many makers and languages use for sides and body parts.

A hint is what a word suggests; rest geometry decides. The tables hold words, never names of whole bones.
"""

from __future__ import annotations

# Sides as whole words (compared in lower case).
LEFT_WORDS = (
    "left lft lf lt hidari gauche gau links linker linke izquierda izquierdo izq sinistra sinistro"
    " sinistre sin sx esquerda esquerdo esq vanster levy leva lewa lewy lewe sol 左 왼쪽 왼 лев левая"
    " левый левое левой л"
).split()
RIGHT_WORDS = (
    "right rgt rt rht migi droite droit dro rechts rechter rechte derecha derecho der destra destro dx"
    " direita direito dir hoger pravy prava prawa prawy prawe sag 右 오른쪽 오른 прав правая правый"
    " правое правой п"
).split()
# Letters that are a side when they stand alone. French and Spanish letters count only beside their opposite.
SIDE_LETTERS = {"l": "L", "r": "R"}
SIDE_LETTERS_OTHER = (("g", "d"), ("i", "d"), ("e", "d"), ("s", "d"))

# What a word suggests. Several words of one name add up.
PARTS: dict[str, str] = {
    "thigh": (
        "thigh upleg femur upperleg oberschenkel cuisse muslo coscia coxa бедро 大腿 太もも 太腿 もも"
        " 허벅지 허벅다리 넓적다리 대퇴 futomomo momo"
    ),
    "shin": (
        "shin calf loleg crus tibia knee lowleg lowerleg unterschenkel mollet genou tibias pantorrilla"
        " rodilla polpaccio ginocchio canela joelho голень колено 小腿 膝 膝盖 ひざ すね"
        " 종아리 정강이 하퇴 무릎 hiza"
        " sune hock stifle gaskin shank"
    ),
    "foot": (
        "foot feet ankle paw hoof hooves pastern fetlock cannon metatarsal metatarsals metatarsus tarsus"
        " fuss fuß knöchel pied cheville pata pie tobillo piede caviglia pé pe tornozelo стопа ступня"
        " лодыжка 足首 脚踝 脚 발 앞발 뒷발 발목 ashikubi forefoot hindfoot"
    ),
    "toe": (
        "toe toes ball toebase zeh zehe zehen orteil orteils dedopie punta носок 脚趾 脚尖 つま先 爪先"
        " 발가락 tsumasaki claw claws"
    ),
    "leg": (
        "leg legs bein jambe pierna gamba perna нога 足 腿"
        " 다리 앞다리 뒷다리 ashi hind hindleg foreleg frontleg backleg"
    ),
    "upperarm": (
        "upperarm uparm humerus shldr oberarm bras brazo braccio braço braco 上臂 上腕 윗팔 위팔 상완 плечо"
    ),
    "forearm": (
        "forearm lowerarm lowarm loarm radius ulna elbow unterarm ellbogen avantbras avant coude"
        " antebrazo codo avambraccio gomito antebraço antebraco cotovelo предплечье локоть 前臂 下臂 ひじ"
        " 肘 아래팔 전완 팔꿈치 hiji"
    ),
    "hand": (
        "hand hands wrist palm carpus main poignet mano muñeca polso mão mao pulso кисть запястье 手 手首"
        " 手掌 手腕 손 손목 손바닥 tekubi"
    ),
    "arm": "arm arms рука 腕 胳膊 手臂 팔 ude",
    "clavicle": (
        "clavicle clav collar collarbone scapula shoulderblade shoulder shoulders schulter schlüsselbein"
        " épaule epaule clavicule hombro clavícula clavicula spalla ombro ключица 肩 锁骨 鎖骨"
        " 어깨 쇄골 빗장뼈 견갑골"
        " kata pec"
    ),
    "finger": (
        "finger fingers thumb index middle ring pinky pinkie little mid metacarpal metacarpals daumen"
        " zeigefinger pouce doigt pulgar dedo pollice dito polegar палец 指 親指 人指 中指 薬指 小指 拇指"
        " 食指 无名指 손가락 엄지 검지 중지 약지 새끼손가락 yubi carpal"
    ),
    "pelvis": (
        "pelvis hips hip hipjoint becken hüfte huefte bassin hanche hanches cadera pelvi bacino anca"
        " quadril pélvis таз 骨盆 下半身 腰 골반 엉덩이 koshi kahanshin buttock buttocks glute"
    ),
    "spine": (
        "spine back lowerback wirbel wirbelsäule rücken colonne dos columna espalda colonna schiena"
        " coluna позвоночник спина 脊椎 脊柱 척추 등뼈 sebone vertebra vertebrae lumbar thorax"
    ),
    "trunk": (
        "chest torso body abdomen belly waist ribcage ribs rib breastbone sternum upperbody lowerbody"
        " stomach bauch brust rumpf taille poitrine ventre torse pecho torax tórax vientre petto busto"
        " peito cintura грудь 胸 上半身 上半身2 가슴 허리 몸통 상체 mune johanshin"
    ),
    "neck": "neck hals nacken cou cuello collo pescoço pescoco шея 首 颈 脖子 목 kubi atlas cervical",
    "head": (
        "head skull kopf schädel tête tete cabeza testa cabeça cabeca голова 頭 头 머리 두개골 atama cranium"
    ),
    "face": (
        "face jaw eye eyes ear ears brow brows lip lips tongue teeth tooth nose nostril cheek lid lids"
        " eyelid mouth beak chin horn horns antenna antennae whisker whiskers hair bang bangs ahoge"
        " ponytail temple forehead mane oculi orbicularis levator risorius snout muzzle 目 耳 口 舌 歯 髪"
        " 眉 顎 あご 鼻"
        " 눈 귀 입 머리카락 앞머리 뒷머리 옆머리 auge ohr kiefer zunge oeil oreille langue ojo oreja lengua"
        " occhio orecchio lingua olho orelha глаз ухо mandible fang fangs tusk gill 发"
    ),
    "tail": "tail schwanz queue cola coda cauda rabo хвост 尻尾 しっぽ 尾 尾巴 꼬리 shippo",
    "wing": (
        "wing wings flügel fluegel aile ailes ala ali asa asas крыло 翼 羽 翅膀 날개 tsubasa hane pinion"
        " fin fins flipper flippers pectoral"
    ),
    "feather": "feather feathers feder plume pluma penna",
    "extra": (
        "skirt cloth cape coat sleeve belt scarf ribbon strap robe dress jacket tie breast breasts boob"
        " boobs bust weapon sword gun shield socket slot prop holster item bag backpack quiver accessory"
        " hat helmet cap glasses physics phys jiggle hairband スカート 袖 リボン 乳 マント 치마 rock jupe"
        " falda gonna saia юбка muscle deltoid bicep heel corrective vent attach attachment handle camera"
    ),
    "control": (
        "ik fk pole target ctrl control controller ctl orient mch org wgt widget vis tweak switch cns"
        " constraint effector goal locator loc guide parent helper tracker snap pivot roll spin ikpole"
        " look lookat aim 親 iktarget gizmo"
    ),
    "twist": "twist twists 捩 tw share ribbonbone segment",
    "end": "end tip leaf nub endsite site nul null dummy",
    "root": (
        "root master reference world global origin cog センター 全ての親 グルーブ center armature motion"
        " scene trajectory bip wurzel racine raiz raíz корень 根 루트"
    ),
}


def _by_word() -> dict[str, str]:
    table: dict[str, str] = {}
    for part, words in PARTS.items():
        table.update(dict.fromkeys(words.split(), part))
    return table


BY_WORD: dict[str, str] = _by_word()

# Words of the trunk that no limb has.
STRONG_TRUNK = frozenset("body torso chest ribcage ribs abdomen waist upperbody thorax".split())
# Words that may stand beside "ik" and "fk" in the name of a switch.
BESIDE_SWITCH = frozenset("leg arm foot hand limb switch blend mode l r left right ik fk".split())

# Words that say more of a part that they are written together with.
MODIFIERS = frozenset(
    (
        "upper lower low fore front back rear hind mid inner outer big small left right base joint bone"
        " 뼈 위 아래 앞 뒤"
    ).split()
)

# Words that make no part of their own and keep a name from being cut into pieces that it is not made of.
PLAIN_WORDS = frozenset(
    (
        "lace ladder lamp lap laser lash last latch layer lead leaf leather left leftover length lens"
        " level lever lid lift light limb line link lip lock lod log long look loop loose lower lug lung"
        " lure over rage rail rain ram range rank rat rate ray razor reach rear reef reel rein relay"
        " release reload rest rib ribs ride rig right rigid ring rise rod roll root rope rot rotate row"
        " rub run"
    ).split()
)
