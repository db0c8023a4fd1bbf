"""Creates the galleries' pictures from photographs in Debian packages, by cropping and scaling."""

import io
import json
import math
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image, ImageOps

WALLPAPERS = Path("/usr/share/wallpapers")
WALLPAPER_IMAGE = "contents/images/2560x1600.jpg"
BACKGROUNDS = Path("/usr/share/backgrounds")
STAMPS = Path("/usr/share/tuxpaint/stamps")

# The photographs among plasma-workspace-wallpapers; its other wallpapers are drawings.
FROM_PLASMA = """BytheWater ColdRipple ColorfulCups DarkestHour EveningGlow FallenLeaf Grey Kite OneStandsOut Path
    summer_1am""".split()

# The photographs in lomiri-wallpapers-16.04, without its two patterns.
FROM_LOMIRI = """Bridge_by_Sander_Klootwijk Dragonfly_by_Bolly Picture_0B_by_freespace Picture_1A_by_freespace
    Wine_by_Jakkub_Mede aitzgorri_by_Aitzol_Berasategi free_by_Peter_Nerlich friends_by_Aitzol_Berasategi
    greentock_by_Peter_Nerlich life_by_Aitzol_Berasategi picosdeeuropa_by_Aitzol_Berasategi
    seeding_by_Clements_Engelhardt sunset_by_Aitzol_Berasategi""".split()

# Photographed stamps of a sufficient size; most other stamps are drawings, or small.
FROM_TUXPAINT = """Apricot_whole Brown_slug Cherry_Stella Lightbulb Roast_turkey Strawberry2 Woodlouse albino_peahen
    anemone_red avocado balloon360 cementmixer cherimoya crowned_crane cylinder daffodil dumper european-bear
    fireman200b garbagetruck ginger gnu-baby gnu-baby-stand gnu-stand helmeted_guineafowl holm_oak
    indian_blackbuck indycar liberia-palm lobster mantis orange_seville rambutan spade stethoscope
    tiger_sumatran tree336 wheel_tractor""".split()

CROPS_PER_SIDE = 3  # each wallpaper gives 3 x 3 overlapping crops beside the whole picture
CROP_SHARE = 0.45  # of the wallpaper's width and height
THUMBNAIL_SIDE = 360  # pixels: a third of a phone's width at three pixels per point
FULL_SIDES = range(1000, 1601, 100)  # longest side in pixels; uploads differ

# The shapes of the many pictures, as width and height: mostly portraits, as phones take them. Their cards in the feed
# are 480 points high on average, like the items of the model of people.
SHAPES = [(3, 4)] * 4 + [(4, 5)] * 2 + [(1, 1)] * 2 + [(4, 3)] * 2 + [(3, 2)]
CROP_SHARES = (0.5, 1.0)  # of the largest crop of a shape
LEAST_WIDTH = 160  # pixels
FORMATS = {
    "jpg": {"quality": 92, "progressive": True}, "webp": {"quality": 88, "method": 2},
    "avif": {"quality": 75, "speed": 8},
}


def prepare(folder, seed):
    """Writes `thumb/`, `full/` and `feed.json` into `folder`, and returns the feed's pictures in order."""
    for part in ("thumb", "full"):
        (folder / part).mkdir()
    sources = [WALLPAPERS / name / WALLPAPER_IMAGE for name in FROM_PLASMA]
    sources += [BACKGROUNDS / f"{name}.jpg" for name in FROM_LOMIRI]
    sources += stamps()
    with ThreadPoolExecutor() as pool:
        made = list(pool.map(lambda source: renditions(source, folder, random.Random(f"{seed} {source.stem}")), sources))
    pictures = [picture for group in made for picture in group]
    random.Random(seed).shuffle(pictures)
    (folder / "feed.json").write_text(json.dumps(pictures))
    for part in ("thumb", "full"):
        sizes = sorted(path.stat().st_size for path in (folder / part).iterdir())
        print(f"{part}: {len(sizes)} pictures, {sizes[0] / 1e3:.0f} to {sizes[-1] / 1e3:.0f} kB, "
              f"median {sizes[len(sizes) // 2] / 1e3:.0f} kB, together {sum(sizes) / 1e6:.1f} MB")
    return pictures


def prepare_many(folder, seed, model, count):
    """Writes `count` different crops of the wallpapers into `folder`.

    Formats, bytes and bits per pixel are those of the model of people: a picture has as many pixels as its bytes allow.
    It is never enlarged, so that the largest pictures have fewer bytes than drawn.
    """
    folder.mkdir()
    sources = [WALLPAPERS / name / WALLPAPER_IMAGE for name in FROM_PLASMA]
    sources += [BACKGROUNDS / f"{name}.jpg" for name in FROM_LOMIRI]
    parts = [range(number, count, len(sources)) for number in range(len(sources))]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda source, numbers: many_crops(source, numbers, folder, seed, model), sources, parts))
    files = sorted(path.stat().st_size for path in folder.iterdir())
    print(f"{len(files)} pictures, {files[0] / 1e3:.0f} to {files[-1] / 1e3:.0f} kB, "
          f"median {files[len(files) // 2] / 1e3:.0f} kB, together {sum(files) / 1e6:.0f} MB", flush=True)


def many_crops(source, numbers, folder, seed, model):
    name = name_of(source)
    with Image.open(source) as image:
        photograph = ImageOps.exif_transpose(image).convert("RGB")
    for number in numbers:
        draw = random.Random(f"{seed} picture {number}")
        form = draw.choices(["jpg", "webp", "avif"], [
            model["jpeg-share"], model["webp-share"], 1 - model["jpeg-share"] - model["webp-share"]])[0]
        wanted = draw.lognormvariate(math.log(model["picture-bytes"]), model["picture-spread"])
        crop = crop_drawn(photograph, draw)
        bits = model[{"jpg": "jpeg-bits"}.get(form, f"{form}-bits")]
        (folder / f"{name}-{number:04}.{form}").write_bytes(encoded(crop, form, wanted, bits))


def crop_drawn(photograph, draw):
    """Returns a part of a drawn shape, size and place."""
    shape = draw.choice(SHAPES)
    unit = draw.uniform(*CROP_SHARES) * min(photograph.width / shape[0], photograph.height / shape[1])
    width, height = (int(unit * side) for side in shape)
    left, top = draw.randint(0, photograph.width - width), draw.randint(0, photograph.height - height)
    return photograph.crop((left, top, left + width, top + height))


def encoded(crop, form, wanted, bits):
    """Returns the file of a picture with about `wanted` bytes, by its pixels: first by the usual bits per pixel."""
    share = math.sqrt(wanted * 8 / bits / (crop.width * crop.height))
    for _ in range(2):
        share = min(1, max(LEAST_WIDTH / crop.width, share))
        scaled = crop.resize((round(share * crop.width), round(share * crop.height)), Image.Resampling.LANCZOS)
        file = io.BytesIO()
        scaled.save(file, {"jpg": "jpeg"}.get(form, form), **FORMATS[form])
        share *= math.sqrt(wanted / file.tell())
    return file.getvalue()


def name_of(source):
    """Returns the name of a wallpaper, which is part of the names of its pictures."""
    name = source.parents[2].name if source.parent.name == "images" else source.stem
    return name.split("_by_")[0].replace("_", "-").lower()


def stamps():
    """Returns the paths of the chosen stamps by file name."""
    found = {path.stem: path for path in sorted(STAMPS.rglob("*.png"))}
    return [found[name] for name in FROM_TUXPAINT]


def renditions(source, folder, draw):
    """Writes a thumbnail and a full rendition of a photograph and of its crops."""
    if source.suffix == ".png":
        return [write(cutout(source), source.stem.lower(), folder, full=source)]
    name = name_of(source)
    with Image.open(source) as image:
        photograph = ImageOps.exif_transpose(image).convert("RGB")
    written = [write(part, f"{name}-{number}", folder, side=draw.choice(FULL_SIDES))
               for number, part in enumerate([photograph, *crops(photograph)])]
    return written


def crops(photograph):
    width, height = (round(side * CROP_SHARE) for side in photograph.size)
    for row in range(CROPS_PER_SIDE):
        for column in range(CROPS_PER_SIDE):
            left = (photograph.width - width) * column // (CROPS_PER_SIDE - 1)
            top = (photograph.height - height) * row // (CROPS_PER_SIDE - 1)
            yield photograph.crop((left, top, left + width, top + height))


def cutout(path):
    """Puts a stamp with a transparent background on white."""
    with Image.open(path) as image:
        stamp = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", stamp.size, "white"), stamp).convert("RGB")


def write(image, name, folder, side=None, full=None):
    thumbnail = ImageOps.fit(image, (THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    thumbnail.save(folder / "thumb" / f"{name}.jpg", quality=80)
    if full:  # a stamp is served as its author made it
        target = folder / "full" / f"{name}.png"
        target.write_bytes(full.read_bytes())
    else:
        target = folder / "full" / f"{name}.jpg"
        rendition = image.copy()
        rendition.thumbnail((side, side))
        rendition.save(target, quality=82, progressive=True)
    return {"thumb": f"/thumb/{name}.jpg", "full": f"/full/{target.name}"}
